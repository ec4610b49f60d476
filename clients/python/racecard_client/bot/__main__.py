import sys

from racecard_client.bot.cli import main

sys.exit(main())
