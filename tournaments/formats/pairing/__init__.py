"""Pairing engines. Each is a pure function from a field to the tables of a round."""
