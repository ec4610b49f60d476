"""`racecard doctor`: what is wrong with an installation, and what to do about it.

A subject is a function that yields Django's check messages: the text says what is wrong, the hint what to do. The
subject `settings` runs the checks that Django and the packages have registered; the others are also part of
`manage.py check --deploy`.
"""
