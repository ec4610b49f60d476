"""The checks of an audit of games, early access, and suspensions."""
