"""What is shown of a disputed game: each event judged again, where it came from, what it changed and what it paid."""
