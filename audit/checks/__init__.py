"""The checks of an audit, one module for each kind of data."""
