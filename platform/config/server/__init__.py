"""The web server: threads for Django, limits for connections, and supervision of the processes."""
