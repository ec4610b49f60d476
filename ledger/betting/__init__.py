"""Markets and bets: opened, bet in, closed by the event that they wait for, settled once. Knows nothing of races."""
