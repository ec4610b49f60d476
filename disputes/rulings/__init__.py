"""Rulings on disputes: the decision, its remedy, what it changes, and the appeal against it."""
