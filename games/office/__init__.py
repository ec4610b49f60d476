"""What the back office of tournaments and of disputes is built with, that knows of people as well as of money."""
