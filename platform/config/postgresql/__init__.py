"""Django's PostgreSQL backend, with a check of persistent connections that does not query the server."""
