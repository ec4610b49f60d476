"""The checks of an audit of streams, checkpoints, and triggers."""
