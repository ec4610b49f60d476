"""The checks of an audit of tournaments."""
