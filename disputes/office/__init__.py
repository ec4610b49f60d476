"""The side of the back office on which disputes are looked into and decided."""
