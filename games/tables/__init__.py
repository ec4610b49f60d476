"""Tables: opening them, joining, leaving, and starting."""
