"""The checks of an audit of streams and checkpoints."""
