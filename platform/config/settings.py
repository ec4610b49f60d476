"""Settings of every run mode. The differences between installations come from the environment.

docs/settings.md lists the variables with their meaning and defaults.
"""

from __future__ import annotations

import logging
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from config import logs
from config.archive import archive_storage
from config.environment import Environment
from core.redis_clients import watched
from core.secret_files import load_or_create

env = Environment()

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(env("RACECARD_DATA", default=str(ROOT / "var"))).resolve()
# Its files (seeds of running games, keys, digests of passwords) must not be readable by others on this machine.
DATA.mkdir(mode=0o700, parents=True, exist_ok=True)

DEBUG = False
SECRET_KEY = env("RACECARD_SECRET_KEY", default="") or load_or_create(
    DATA / "secret.key", lambda: secrets.token_urlsafe(48)
)
ALLOWED_HOSTS = env.list("RACECARD_HOSTS", default=["*"])
HTTPS = env.bool("RACECARD_HTTPS", default=False)

INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    "eventstore",
    "accounts",
    "rest",
    "staff",
    "jobs",
    "webhooks",
    "webpush",
    "notifications",
    "ledger",
    "games",
    "tournaments",
    "audit",
    "disputes",
    "config.apps.StaffSiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "corsheaders",
    "allauth",
    "allauth.account",
    "allauth.headless",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "csp",
    "rules.apps.AutodiscoverRulesConfig",
    "django_structlog",
]

MIDDLEWARE = [
    "rest.middleware.ApiHandler",  # requests with a token go through API_MIDDLEWARE instead of the rest of this list
    "config.request_log.RequestLog",
    "rest.middleware.Measure",
    "config.replica.ReadReplica",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "rest.middleware.ContentPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "rest.middleware.Common",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.StrictAccountRequests",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
API_MIDDLEWARE = [
    "config.request_log.RequestLog",
    "rest.middleware.Measure",
    "config.replica.ReadReplica",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "rest.middleware.ApiContentPolicy",
    "rest.middleware.Common",
]

ROOT_URLCONF = "config.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "platform" / "config" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- data ---------------------------------------------------------------------------------------

_SQLITE_INIT = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
    "PRAGMA recursive_triggers=ON; PRAGMA busy_timeout=20000;"
)
RACECARD_DATABASE_POOLED = env.bool("RACECARD_DATABASE_POOLED", default=False)
"""Whether DATABASE_URL leads to a pooler that gives a client another connection for each transaction."""

RACECARD_DATABASE_DIRECT_URL = env("RACECARD_DATABASE_DIRECT_URL", default="")
"""The address of the server itself, for backups, which need one connection throughout; only with a pooler."""

if _database := env.postgresql("DATABASE_URL", pooled=RACECARD_DATABASE_POOLED):
    DATABASES = {"default": _database}
else:
    DATABASES = {
        "default": {
            "ENGINE": "config.sqlite",
            "NAME": str(DATA / "racecard.sqlite3"),
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "timeout": 20,
                "transaction_mode": "IMMEDIATE",
                "init_command": _SQLITE_INIT,
            },
            # In a file, because threads and worker processes of the tests must see it.
            "TEST": {"NAME": str(Path(tempfile.gettempdir()) / f"racecard-test-{os.getpid()}.sqlite3")},
        }
    }

RACECARD_REPLICA_URL = env("RACECARD_REPLICA_URL", default="")
"""A replica of PostgreSQL, from which reads are answered that may be a moment old (`config.replica`)."""

RACECARD_REPLICA_LAG = env.int("RACECARD_REPLICA_LAG", default=5)
"""Seconds by which the replica may be behind; a caller who has written reads from the primary for twice as long."""

if RACECARD_REPLICA_URL:
    DATABASES["replica"] = {
        **env.postgresql("RACECARD_REPLICA_URL", pooled=RACECARD_DATABASE_POOLED),
        "TEST": {"MIRROR": "default"},
    }

REDIS_URL = env("REDIS_URL", default="")
try:
    _watched = watched(REDIS_URL)
except ValueError as _error:
    raise RuntimeError(f"REDIS_URL cannot be used: {_error}.") from None
# Counters of the rate limits. Without Redis each process has its own, which is exact for the one web process of the
# embedded mode; several web processes need REDIS_URL.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        # A server that does not respond must not hold every thread, nor the health check.
        "OPTIONS": {
            "pool_class": "core.redis_clients.Pool",
            "socket_connect_timeout": 2,
            "socket_timeout": 10,
        },
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 100_000}}
}

# --- people -------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.Player"
AUTHENTICATION_BACKENDS = [
    "rules.permissions.ObjectPermissionBackend",
    "accounts.roles.PlayerBackend",
]
PASSWORD_HASHERS = ["accounts.hashers.PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "/sign-in/"
PASSWORD_RESET_TIMEOUT = 24 * 3600

PLAY_MONEY = "XTS"
RACECARD_CURRENCY = env("RACECARD_CURRENCY", default=PLAY_MONEY)
"""Play money by default: XTS is ISO 4217's code for testing. A real currency is an explicit choice."""

_IS_REAL_MONEY = RACECARD_CURRENCY != PLAY_MONEY

RACECARD_PLAY_CREDIT = env.int("RACECARD_PLAY_CREDIT", default=0 if _IS_REAL_MONEY else 100_000)
"""Pence of play money that a new player receives, and that an account is topped up to."""

if not 0 <= RACECARD_PLAY_CREDIT <= 10**11 or (_IS_REAL_MONEY and RACECARD_PLAY_CREDIT):
    raise RuntimeError(
        "RACECARD_PLAY_CREDIT is an amount of pence from 0 to 100,000,000,000, and 0 unless the currency is XTS."
    )

RACECARD_SITE_URL = env("RACECARD_SITE_URL", default="").rstrip("/")
"""The public address of the site, such as https://cards.example, for the links in e-mails."""

EMAIL_URL = env("EMAIL_URL", default="")
vars().update(env.email_url_config(EMAIL_URL or "dummymail://"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env("RACECARD_FROM_EMAIL", default="Racecard <racecard@localhost>")
if EMAIL_URL and not RACECARD_SITE_URL:
    # A link with the Host of the request would let anyone send a victim a link to a site of their own.
    raise RuntimeError("EMAIL_URL needs RACECARD_SITE_URL, the address that links in e-mails lead to.")

REQUIRE_EMAIL = env.bool("RACECARD_REQUIRE_EMAIL", default=_IS_REAL_MONEY and bool(EMAIL_URL))
"""Whether an account needs a verified e-mail address to sign in."""

if REQUIRE_EMAIL and not EMAIL_URL:
    raise RuntimeError("RACECARD_REQUIRE_EMAIL needs EMAIL_URL, the server that sends the e-mails.")

REQUIRE_SECOND_FACTOR = env.bool("RACECARD_REQUIRE_SECOND_FACTOR", default=_IS_REAL_MONEY)
"""Whether staff need a second factor, an authenticator app or a passkey, for their permissions."""

REQUIRE_RECENT_SIGN_IN = env.bool("RACECARD_REQUIRE_RECENT_SIGN_IN", default=_IS_REAL_MONEY)
"""Whether a session must have confirmed its identity in the last half hour to move money or to change roles."""

RACECARD_REFUSED_NAMES = env.list("RACECARD_REFUSED_NAMES", default=[])
"""Words that no name of a player contains, such as `moderator`; digits that stand for letters count as these."""

RACECARD_GUESTS = env.int("RACECARD_GUESTS", default=1000)
"""How many guests there may be at once; 0 admits none."""

ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if REQUIRE_EMAIL else "email", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.forms.SignUpForm"
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if REQUIRE_EMAIL else "optional"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Racecard] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 30 * 60
# A caller is an address (`ip`) or an account (`user`). The key of `login_failed` is a name at an address, or the player
# whose code is tried; that of `login_failed_anywhere` is a name at any address. A whole club may share one address.
ACCOUNT_RATE_LIMITS = {
    "login": "120/m/ip",
    "login_failed": "10/15m/key",
    "login_failed_anywhere": "200/h/key",
    "signup": "300/h/ip",
    "guest": "60/h/ip",
    "reset_password": "20/5m/ip,5/h/key",
    "reset_password_from_key": "20/5m/ip",
}
HEADLESS_ONLY = True
HEADLESS_CLIENTS = ["browser"]
HEADLESS_FRONTEND_URLS = {
    "account_confirm_email": f"{RACECARD_SITE_URL}/verify-email/?key={{key}}",
    "account_reset_password": f"{RACECARD_SITE_URL}/reset-password/",
    "account_reset_password_from_key": f"{RACECARD_SITE_URL}/reset-password/?key={{key}}",
    "account_signup": f"{RACECARD_SITE_URL}/sign-in/",
    "socialaccount_login_error": f"{RACECARD_SITE_URL}/sign-in/",
}
RACECARD_OIDC = env.json("RACECARD_OIDC", default=[])
"""Providers of OpenID Connect: `[{"id": "club", "name": "Club", "url": "https://…", "client": "…", "secret": "…"}]`."""

_OIDC_ORIGINS = ["{0.scheme}://{0.netloc}".format(urlsplit(one["url"])) for one in RACECARD_OIDC]

SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": one["id"],
                "name": one["name"],
                "client_id": one["client"],
                "secret": one.get("secret", ""),
                "settings": {"server_url": one["url"]},
            }
            for one in RACECARD_OIDC
        ],
    }
}
SOCIALACCOUNT_ADAPTER = "accounts.adapters.LinkedAccountAdapter"
SOCIALACCOUNT_AUTO_SIGNUP = False  # a player chooses the name that others see
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Racecard"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS

RACECARD_CORS_ORIGINS = env.list("RACECARD_CORS_ORIGINS", default=[])
"""The origins of other web pages that may call the API with a token. Cookies are never accepted from them."""

CORS_ALLOW_ALL_ORIGINS = RACECARD_CORS_ORIGINS == ["*"]
CORS_ALLOWED_ORIGINS = [] if CORS_ALLOW_ALL_ORIGINS else RACECARD_CORS_ORIGINS
CORS_ALLOW_CREDENTIALS = False
CORS_URLS_REGEX = r"^/api/"
CORS_ALLOW_HEADERS = (
    "accept",
    "authorization",
    "client-time",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "last-event-id",
)
CORS_EXPOSE_HEADERS = (
    "Allow",
    "Deprecation",
    "ETag",
    "Idempotent-Replay",
    "Link",
    "Location",
    "Retry-After",
    "Sunset",
    "X-Request-ID",
)
CORS_PREFLIGHT_MAX_AGE = 86_400

CSRF_FAILURE_VIEW = "rest.problems.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# They follow from RACECARD_HTTPS, about which `racecard doctor` has one message.
SILENCED_SYSTEM_CHECKS = [] if HTTPS else [f"security.W{number:03}" for number in (4, 8, 12, 16)]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        # Signing in leads to the providers of OpenID Connect.
        "form-action": [
            "'self'",
            *(f"{urlsplit(one['url']).scheme}://{urlsplit(one['url']).netloc}" for one in RACECARD_OIDC),
        ],
        "frame-ancestors": ["'none'"],
    }
}

# --- REST ---------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.BearerAuthentication",
        "accounts.authentication.WebSession",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["rest.throttles.RequestThrottle"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "rest.content.Negotiation",
    "DEFAULT_RENDERER_CLASSES": ["rest.content.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest.content.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "rest.schema.Schema",
    "EXCEPTION_HANDLER": "rest.problems.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
API_BODY_LIMIT = 256 * 1024
# Requests of one caller in so many seconds. Clients of Racing Demons play as fast as they can, and a whole club may
# share one address. ACCOUNT_RATE_LIMITS are those of sign-in. Callers are distinguished by their
# address; X-Forwarded-For is not trusted, except from a proxy that FORWARDED_ALLOW_IPS names.
API_RATES = {
    "requests": (5000, 10),
    "moves": (1000, 10),
    "streams": (200, 10),
    "hints": (60, 60),
    "bots": (20, 24 * 3600),
    "challenges": (60, 10 * 60),
    "pairings": (60, 10 * 60),
}
# Seconds of processor time that one account, and one address, may use in each window of so many seconds, for hints
# and for computations over the history of a game or tournament (docs/security.md, "What a request may cost").
API_BUDGETS = {
    "hints": (20, 60, 60),
    "history": (20, 60, 60),
    "previews": (20, 60, 60),
}
OPEN_TABLES_PER_PLAYER = 50
OPEN_CHALLENGES_PER_PLAYER = 10
OPEN_CHALLENGES_TO_PLAYER = 50
RACECARD_CHALLENGE_SECONDS = env.int("RACECARD_CHALLENGE_SECONDS", default=3600)
"""Seconds after which an unanswered challenge ends."""

STREAMS_PER_PLAYER = 20
STREAM_LEASE_SECONDS = 60
SPECTACULAR_SETTINGS = {
    "TITLE": "Racecard",
    "DESCRIPTION": "Card games and tournaments in which every move is an event and every deal can be verified.",
    "VERSION": "1",
    "ENUM_NAME_OVERRIDES": {
        "GameStatus": "games.models.Status",
        "BotPace": "games.models.BotPace",
        "EventVerdict": ["passed", "failed", "not-run"],
        "MatchStatus": "games.models.MatchStatus",
        "TournamentStatus": "tournaments.models.Status",
        "TermsInputFormatEnum": "tournaments.terms.format_names",
        "TournamentStaffRole": "tournaments.models.StaffRole",
        "NameShown": "accounts.models.NameShown",
        "PlayerKind": ["human", "bot"],
        "ReasonEnum": "accounts.models.ReportReason",
        "DeclineReason": "games.models.DeclineReason",
        "SeatKind": ["human", "guest", "bot"],
        "MarketStatus": "ledger.betting.models.MarketStatus",
        "MarketKind": "ledger.betting.kinds.CHOICES",
        "BetStatus": "ledger.betting.models.BetStatus",
        "LimitKind": "ledger.limits.terms.CHOICES",
        "RoundState": ["opening", "open", "closed"],
        "PayoutState": "ledger.payouts.models.PayoutState",
        "PayoutKind": "ledger.payouts.models.PayoutKind",
        "PotStatus": "ledger.stakes.models.PotStatus",
        "StakeTermsStatus": ["in-force", "announced", "past", "withdrawn"],
        "BuyInStatus": "ledger.stakes.models.BuyInStatus",
        "DisputeStatus": ["open", "proposed", "ruled", "appealed", "withdrawn"],
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "rest.schema.add_problem",
        "config.streams.schema.add_feed",
    ],
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# --- jobs ---------------------------------------------------------------------------------------

_BROKER_FOLDER = DATA / "broker"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any]
if REDIS_URL:
    CELERY_BROKER_URL = _watched.broker_url() if _watched else REDIS_URL
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 60,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        # A server that does not respond must not block the ticker.
        "socket_connect_timeout": 2,
        "socket_timeout": 10,
        "socket_keepalive": True,
    }
    if _watched:
        CELERY_BROKER_TRANSPORT_OPTIONS |= {
            "master_name": _watched.name,
            "sentinel_kwargs": {"socket_timeout": 2, **_watched.sentinel_options},
        }
else:
    for _name in ("queue", "processed", "control"):
        (_BROKER_FOLDER / _name).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_BROKER_FOLDER / "queue"),
        "data_folder_out": str(_BROKER_FOLDER / "queue"),
        "processed_folder": str(_BROKER_FOLDER / "processed"),
        "control_folder": str(_BROKER_FOLDER / "control"),
        "store_processed": False,
        "polling_interval": 0.1,
    }
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# --- logs ---------------------------------------------------------------------------------------

LOGGING = logs.configure(env("RACECARD_LOG_LEVEL", default="INFO"))
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.INFO
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = False
DJANGO_STRUCTLOG_TRUST_UPSTREAM_CORRELATION_ID = False
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False

RACECARD_METRICS = Path(env("RACECARD_METRICS", default=str(DATA / "metrics")))
RACECARD_METRICS_ALLOW = env.list("RACECARD_METRICS_ALLOW", default=[])
"""Networks besides this machine from which /metrics may be read."""

RACECARD_METRICS_SECONDS = env.int("RACECARD_METRICS_SECONDS", default=15)
"""Between two samples of the gauges of the database."""

# --- connections --------------------------------------------------------------------------------

RACECARD_CONNECTIONS = env.int("RACECARD_CONNECTIONS", default=4096)
"""Open connections of one web process, including event streams."""

RACECARD_CONNECTIONS_PER_ADDRESS = env.int("RACECARD_CONNECTIONS_PER_ADDRESS", default=1024)
"""Of these, connections from one address; an IPv6 address counts by its /64. Proxies in FORWARDED_ALLOW_IPS are
exempt.
"""

# --- the rest -----------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
STATIC_ROOT.mkdir(exist_ok=True)
RACECARD_CLIENT = ROOT / "frontend" / "dist"
"""The build of the web client; without it the landing page says so."""
STATICFILES_DIRS = [path for path in (RACECARD_CLIENT,) if path.is_dir()]
WHITENOISE_USE_FINDERS = True
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/client/.+-[\w-]{8}\.\w+$"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# No file is accepted. Django's own handlers would write one of any size to the disk for any caller.
FILE_UPLOAD_HANDLERS = ["rest.content.NoFiles"]

RACECARD_TIME_ZONE = env("RACECARD_TIME_ZONE", default="UTC")
"""The time zone of the site's days, such as Europe/London. Times are stored, sent, and shown in UTC."""

RACECARD_ORGANIZER_MARKET_CAP = env.int("RACECARD_ORGANIZER_MARKET_CAP", default=1_000_000)
"""The largest amount in pence that a pool opened by an organizer may take, or that the bank may lose on a market of
fixed odds opened by one.
"""

RACECARD_ORGANIZER_GUARANTEE = env.int("RACECARD_ORGANIZER_GUARANTEE", default=1_000_000)
"""The largest sum in pence of prizes that an organizer may guarantee in all open tournaments; administrators have no
limit.
"""

RACECARD_DEFAULT_LIMITS = env("RACECARD_DEFAULT_LIMITS", default="")
"""Initial limits of every player in pence, such as "deposit/day=50000 loss/month=200000"; players may add others."""

RACECARD_PAYOUT_SECOND_PERSON = env.int("RACECARD_PAYOUT_SECOND_PERSON", default=100_000)
"""Pence above which a payout needs two approvers."""

RACECARD_PRIZE_APPROVAL_ABOVE = env.int(
    "RACECARD_PRIZE_APPROVAL_ABOVE", default=100_000 if _IS_REAL_MONEY else None
)
"""Pence above which a tournament's prize waits for approval. None: no prize waits, the default with play money."""

RACECARD_DISPUTE_DAYS = env.int("RACECARD_DISPUTE_DAYS", default=7)
"""Days after the end of a game in which it can be disputed."""

RACECARD_APPEAL_DAYS = env.int("RACECARD_APPEAL_DAYS", default=3)
"""Days after a first ruling on a dispute in which it can be appealed."""

RACECARD_DISPUTE_SECOND_PERSON = env.dict(
    "RACECARD_DISPUTE_SECOND_PERSON", cast={"value": int}, default={RACECARD_CURRENCY: 100_000}
)
"""Pence by currency above which a ruling that moves money needs a second approver; without an entry every ruling
does.
"""

RACECARD_TURN_NOTICE_SECONDS = env.int("RACECARD_TURN_NOTICE_SECONDS", default=60)
"""How long a player may be on turn, without watching the game, before they are notified."""

RACECARD_NOTIFICATION_DAYS = env.int("RACECARD_NOTIFICATION_DAYS", default=90)
"""Days after which a notification is deleted."""

RACECARD_ARCHIVE_AFTER = env.int("RACECARD_ARCHIVE_AFTER", default=0)
"""Days after its end from which a settled game is moved into the archive. 0: no game is."""

RACECARD_ARCHIVE = env("RACECARD_ARCHIVE", default=str(DATA / "archive"))
"""The folder of the archive, or `s3://bucket/prefix`, optionally with `?endpoint_url=https://…&region_name=…`."""

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "archive": archive_storage(RACECARD_ARCHIVE),
}

RACECARD_CHECKPOINT_KEY = DATA / "checkpoint.key"
RACECARD_PUSH_KEY = DATA / "push.key"
