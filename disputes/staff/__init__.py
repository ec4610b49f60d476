"""Staff pages about disputes and evidence."""
