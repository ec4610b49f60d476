"""The Django project. Importing it imports no Django: the `verify` and `simulate` commands live here."""
