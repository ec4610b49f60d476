"""Stakes: stake tables and their terms, play sessions, stakes against the bank, and pots of buy-ins."""
