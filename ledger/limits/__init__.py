"""Player protection: limits, time-outs, self-exclusion, and figures of play."""
