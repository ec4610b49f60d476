"""Suspending a game, resuming it, and continuing it from an earlier version."""
