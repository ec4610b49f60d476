"""Django's SQLite backend, which converts the placeholders of a statement once."""
