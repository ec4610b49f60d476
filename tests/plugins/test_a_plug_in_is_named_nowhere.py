"""The project names no game or format of a plug-in."""

import re
import subprocess
from pathlib import Path

from games.rules import plugins

ROOT = Path(__file__).resolve().parents[2]


def test_no_line_outside_its_folder_names_it():
    own = set(plugins._checkout()[plugins.GAMES]) | set(plugins._checkout()[plugins.FORMATS])
    names = {
        point.name
        for group in (plugins.GAMES, plugins.FORMATS)
        for point in plugins._registered(group)
        if point.name not in own
    }
    assert len(names) == 2
    pattern = "|".join(re.sub("-", "[-_ ]?", name) for name in names)
    command = ["git", "grep", "-inE", pattern, "--", ".", ":!tests/plugins"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (1, "")
