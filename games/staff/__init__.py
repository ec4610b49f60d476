"""Staff pages and actions of games."""
