"""Matches: several games in a row at one table."""
