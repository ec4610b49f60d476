"""Play: moves, bots, clocks, and what the server does for absent seats."""
