"""Challenges: players invited to a private table, which is dealt when all of them have accepted."""
