"""Django's PostgreSQL backend, which looks at a kept connection without asking the server."""
