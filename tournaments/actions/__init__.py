"""Staff actions on tournaments, for their pages and for REST."""
