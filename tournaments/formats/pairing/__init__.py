"""Who meets whom: one engine a module, each a pure function from a field to the tables of a round."""
