"""How the back office writes times and dates."""
