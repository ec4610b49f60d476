"""Formats of times and dates on the staff site."""
