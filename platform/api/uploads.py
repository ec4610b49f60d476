"""Files that somebody sends: there is nothing here that takes one."""

from __future__ import annotations

from typing import Any, NoReturn

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler


class NoFiles(FileUploadHandler):
    """Refuses a form that holds a file before a byte of it is read."""

    def new_file(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RequestDataTooBig("No file is taken here.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Never called: no file begins."""

    def file_complete(self, file_size: int) -> None:
        """Never called either."""
