"""Sphinx's settings for the site of `make docs` (tools/docs.py)."""

project = "Racecard"
project_copyright = "the Racecard contributors, Apache License 2.0"
extensions = ["myst_parser"]
myst_heading_anchors = 6
# It would write the two hyphens of an option as a dash.
smartquotes = False
html_theme = "furo"
html_title = "Racecard"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
