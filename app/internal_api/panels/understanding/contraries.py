"""Deeds of which somebody does one and not the other. Lower case, without accents."""

from collections.abc import Iterable

_GROUPS = tuple(
    frozenset(group.split())
    for group in (
        "rent own buy lease borrow finance",
        "buy sell hold",
        "keep cancel change switch end stop quit return replace",
        "stay leave go move quit",
        "walk drive cycle ride fly run take",
        "cook order eat",
        "save spend invest",
        "rise fall stay remain",
        "increase decrease stay remain",
        "improve worsen stay remain",
        "grow shrink stay",
        "gain lose",
        "win lose draw",
        "support oppose",
        "favor oppose",
        "favour oppose",
        "accept reject decline refuse",
        "love hate",
        "like dislike",
        "agree disagree",
        "approve disapprove",
        "trust distrust",
        "open close",
        "expand reduce",
        "raise lower",
        "repair replace",
        "renew cancel",
        "upgrade downgrade",
        "wait go leave",
        "sit stand",
        "lead follow",
        "pass fail",
        "mieten kaufen besitzen",
        "duzen siezen",
        "bleiben gehen kundigen",
        "behalten kundigen wechseln",
        "steigen sinken fallen",
        "wachsen schrumpfen",
        "alquilar comprar",
        "louer acheter",
    )
)


def exclude_each_other(deeds: Iterable[str]) -> bool:
    """Whether two of them do."""
    named = frozenset(deeds)
    return any(len(named & group) > 1 for group in _GROUPS)
