"""Evidence and verification of a game: verdicts on its events, their origin, changes, and transfers."""
