"""Buy-ins: what players put into a pot at the same table, divided by their places when its game is over."""
