"""The WSGI application, with bodies of known length.

Django reads as much of a body as Content-Length says. A chunked body has none and would be taken as empty: a client
seed would be silently dropped.
"""

import os
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]


def measured(serve: Application) -> Application:
    """The application, given the length of a chunked body.

    One byte more than allowed is read, so that a body that is too large is refused.
    """

    def serve_measured(environ: Environ, start_response: Any) -> Iterable[bytes]:
        if not environ.get("CONTENT_LENGTH") and environ.get("HTTP_TRANSFER_ENCODING"):
            most = max(settings.API_BODY_LIMIT, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
            body = environ["wsgi.input"].read(most + 1)
            environ = {**environ, "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body)}
        return serve(environ, start_response)

    return serve_measured


application: Any = measured(get_wsgi_application())
