"""The platform without what a process remembers of earlier requests: the players of tokens, and folded games.

Every move reads its token, and folds its game from the last snapshot.
"""

from __future__ import annotations

import django
from django.apps import apps

if not apps.ready:
    django.setup()

from accounts import authentication
from config.asgi import application as platform
from config.server.bridge import Receive, Scope, Send
from games import state


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    authentication._remembered.clear()
    state.cache.clear()
    await platform(scope, receive, send)
