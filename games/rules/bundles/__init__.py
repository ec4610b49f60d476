"""Bundles: the file with which a game is verified without the server."""
