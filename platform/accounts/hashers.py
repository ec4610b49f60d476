"""The hash of a password."""

from __future__ import annotations

from django.contrib.auth.hashers import Argon2PasswordHasher


class PasswordHasher(Argon2PasswordHasher):
    """Argon2id with the parameters that OWASP recommends.

    Every password is hashed and verified here: at sign-in, sign-up, a change, a reset, and a confirmation, and once for
    an unknown name. A hash with other parameters, such as those of 0.2.0 (100 MiB, 8 lanes), is verified with its own,
    and `Player.check_password` replaces it.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
