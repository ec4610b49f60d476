"""What a player has asked to be protected from: limits, time-outs, self-exclusion; and the figures of a session."""
