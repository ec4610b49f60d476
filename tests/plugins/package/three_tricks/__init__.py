"""Three Tricks: a hand of hidden cards for each seat, and a trick for each card."""
