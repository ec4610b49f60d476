"""REST views of the win market on a race and of its odds. Bets are in the ledger: `markets/{id}/bets/`."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, TypedDict, cast
from uuid import UUID

from django.urls import reverse
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games import state
from games.api import INVITE, me, visible_game
from games.errors import NoMarket, NoOdds
from games.models import GameRecord, Status
from games.money import markets
from games.money.actions import OpenRaceMarket
from games.rules.cards import SUITS
from games.rules.registry import manifest
from games.selectors import exact_moment
from ledger.betting.documents import MarketDetailOutput, market_detail_document
from ledger.betting.kinds import CHOICES
from ledger.betting.terms import ON_DRAW
from ledger.callers import command_key
from ledger.selectors import market as whole_market
from ledger.serializers import PoolTermsInput
from ledger.services import Terms
from ledger.splits import WHOLE
from rest.documents import Moment
from rest.fields import StrictBooleanField, StrictChoiceField, StrictIntegerField, checked
from rest.idempotency import idempotent
from rest.pagination import query
from rest.schema import describe
from rest.scopes import Scope
from staff.actions import perform

STANDARD = Terms()


class RaceMarketInput(PoolTermsInput):
    kind = StrictChoiceField(choices=CHOICES)
    margin = StrictIntegerField(
        min=0, max=WHOLE - 1, required=False, default=0, help_text="fixed odds: basis points"
    )
    on_draw = StrictChoiceField(choices=ON_DRAW, required=False, default=STANDARD.on_draw)
    in_running = StrictBooleanField(
        required=False, default=False, help_text="fixed odds: reopens after each draw at new prices"
    )


class RaceMarketOutput(MarketDetailOutput):
    starts_at: Annotated[
        Moment | None,
        "the end of a countdown, when the race starts and betting closes; null: none was started",
    ]


class RaceMarket(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "games_market",
        "The win market on a race, as `markets/{id}/` shows it, and when the race starts",
        scope=Scope.READ,
        response=RaceMarketOutput,
        parameters=[INVITE],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "invite")
        game = visible_game(request, game_id, **wanted)
        market = markets.market_on(game.pk)
        if market is None:
            raise NoMarket
        starts_at = game.starts_at if game.status == Status.OPEN else None
        shown: RaceMarketOutput = {**_shown(market.pk), "starts_at": exact_moment(starts_at)}
        return Response(shown)

    @describe(
        "games_market_create",
        "Open the win market of a race before the deal (administrators; organizers up to a cap)",
        scope=(Scope.ORGANIZE, Scope.ADMINISTRATOR),
        request=RaceMarketInput,
        response=MarketDetailOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, game_id: UUID) -> Response:
        given = checked(RaceMarketInput, request)
        kind = given.pop("kind")
        action = OpenRaceMarket.open(me(request), game_id)
        data = {"kind": kind, "terms": Terms(**given)}
        market, _ = perform(action, data, key=command_key(request))
        return Response(
            _shown(market.pk), status=201, headers={"Location": reverse("market", args=[market.pk])}
        )


def _shown(market_id: UUID) -> MarketDetailOutput:
    return market_detail_document(whole_market(market_id))


class FairReturnOutput(TypedDict):
    """The fair return on one unit, including the unit; null if the suit cannot win."""

    lose: Annotated[str | None, "if a race without a winner loses the bet"]
    refund: Annotated[str | None, "if it refunds the bet"]


class SuitOddsOutput(TypedDict):
    probability: Annotated[str, "the exact probability, as n/d"]
    fair_return: FairReturnOutput


class SuitsOddsOutput(TypedDict):
    C: SuitOddsOutput
    D: SuitOddsOutput
    H: SuitOddsOutput
    S: SuitOddsOutput


class OddsOutput(TypedDict):
    suits: SuitsOddsOutput
    no_winner: Annotated[str, "the exact probability of a race without a winner, as n/d"]
    version: Annotated[int, "version of the game"]


class RaceOdds(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "games_odds",
        "The exact probabilities of a race now, with the fair return of each suit",
        scope=Scope.READ,
        response=OddsOutput,
        parameters=[INVITE],
    )
    def get(self, request: Request, game_id: UUID) -> Response:
        wanted = query(request, "invite")
        shown = odds_of(visible_game(request, game_id, **wanted))
        return Response(shown, headers={"ETag": f'"{shown["version"]}"'})


def odds_of(game: GameRecord) -> OddsOutput:
    """Return the present odds of a race, fractions as text. The caller may see the game. Raises NoOdds."""
    head, table = state.load(game.pk)
    market = manifest(table.game.slug).market
    if market is None or table.status == "void":
        raise NoOdds
    found = market.odds(table.state)
    return {
        "suits": cast(
            "SuitsOddsOutput",
            {
                letter: {
                    "probability": _text(found.suits[suit]),
                    "fair_return": {
                        "lose": _text_or_none(found.fair_return(suit, on_draw="lose")),
                        "refund": _text_or_none(found.fair_return(suit, on_draw="refund")),
                    },
                }
                for suit, letter in enumerate(SUITS)
            },
        ),
        "no_winner": _text(found.no_winner),
        "version": head.version,
    }


def _text(number: Fraction) -> str:
    return f"{number.numerator}/{number.denominator}"


def _text_or_none(number: Fraction | None) -> str | None:
    return None if number is None else _text(number)
