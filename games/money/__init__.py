"""Money at a table: stakes, buy-ins, markets on races, and their reconciliation."""
