"""The Django project. Importing it does not import Django, because the commands `verify` and `simulate` are here."""
