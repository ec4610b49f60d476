"""The back office's pages about money: what they share, and those that are of no single table."""
