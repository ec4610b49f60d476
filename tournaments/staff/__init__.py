"""The organizer's console: staff pages of one tournament, and actions on them."""
