"""The programs that build the web client."""

from __future__ import annotations

import os
from pathlib import Path

from tools import frontend


def test_a_program_that_another_process_starts_is_never_written_again(tmp_path: Path) -> None:
    """A shell reads its script after it has been started, and runs nothing of one that is just being written."""
    program = tmp_path / "node"
    frontend.write_program(program, "#!/bin/sh\nexec old\n")
    assert os.access(program, os.X_OK)
    with program.open() as read_later:
        before = program.stat()
        frontend.write_program(program, "#!/bin/sh\nexec old\n")
        assert program.stat() == before
        frontend.write_program(program, "#!/bin/sh\nexec new\n")
        assert read_later.read() == "#!/bin/sh\nexec old\n"
    assert program.read_text() == "#!/bin/sh\nexec new\n"
    assert list(tmp_path.iterdir()) == [program]
