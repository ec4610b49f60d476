"""One bot for each game. Each is better than random moves where there is something to decide."""
