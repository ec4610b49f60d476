"""Event streams: server-sent events of games, tournaments and disputes."""
