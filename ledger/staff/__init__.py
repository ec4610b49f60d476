"""Staff pages about money: shared parts, and the pages that show more than one table."""
