"""Markets and bets. A market opens, takes bets, closes with its event, and is settled once."""
