"""The organizer's console: a tournament's pages in the back office, and what is done from them."""
