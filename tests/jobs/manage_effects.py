"""manage.py with the jobs of `effects` declared."""

import os
import sys

import django
from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

import tests.jobs.effects  # noqa: E402, F401

execute_from_command_line(sys.argv)
