"""One examination from the first question to the report."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.doctor.calling import Caller
from app.doctor.door import Door, open_door
from app.doctor.exchanges import Exchange, Fault
from app.doctor.findings import Report
from app.doctor.judging.client import judge
from app.doctor.judging.endpoint import asks_for_sign_in
from app.doctor.messages import ERAS
from app.doctor.observe import discover, look_as_a_page, look_at_endpoint
from app.doctor.observed import Called, Discovery, Observed
from app.doctor.playing import Player
from app.doctor.profiles import Profile, Way
from app.doctor.signing_in import KnownClient, SignIn, Tell


@dataclass(frozen=True, slots=True)
class Wish:
    """What the operator asked for."""

    url: str
    profiles: tuple[Profile, ...]
    seconds: float
    registers: bool = True
    login: bool = False
    patience: float = 300.0
    key: str = field(default="", repr=False)
    known: KnownClient | None = None
    """The client to sign in as, instead of registering one."""


async def examine(wish: Wish, tell: Tell) -> Report:
    """Ask everything, then judge; `tell` gets the address that a browser has to open."""
    hidden = {wish.key}
    async with open_door(wish.url, wish.seconds) as door:
        observed = await _observe(door, wish, tell, hidden)
    clients = tuple(judge(profile, observed) for profile in wish.profiles)
    return Report(wish.url, clients).hiding(hidden)


async def _observe(door: Door, wish: Wish, tell: Tell, hidden: set[str]) -> Observed:
    endpoint = await look_at_endpoint(door, wish.url)
    observed = Observed(wish.url, endpoint, Discovery(wish.url), registers=wish.registers)
    if endpoint.get.fault in {Fault.UNREACHABLE, Fault.TLS}:
        return observed
    discovery = await discover(door, wish.url, endpoint)
    observed = replace(observed, discovery=discovery)
    player = Player(door, endpoint, discovery, registers=wish.registers)
    observed = replace(
        observed,
        preflights=await _preflights(door, wish, discovery),
        played={profile.name: await player.play(profile) for profile in wish.profiles},
    )
    if wish.login and discovery.server_metadata is not None:
        sign_in = SignIn(door, player, wish.url, discovery.server_metadata, hidden)
        grant, called = await sign_in.run(_loopback_client(wish), tell, wish.patience, wish.known)
        observed = replace(observed, grant=grant, called=called)
    return replace(observed, called=observed.called or await _calls(door, wish, observed))


async def _preflights(door: Door, wish: Wish, discovery: Discovery) -> Mapping[str, Exchange]:
    return await look_as_a_page(door, wish.url, discovery) if any(one.browser for one in wish.profiles) else {}


async def _calls(door: Door, wish: Wish, observed: Observed) -> tuple[Called, ...]:
    """By key; an open gateway is called without any."""
    if not wish.key and asks_for_sign_in(observed):
        return ()
    caller = Caller(door, wish.url, wish.key)
    return tuple([await caller.call(era) for era in ERAS])


def _loopback_client(wish: Wish) -> Profile:
    """Whose body is registered for the real sign-in: the first that registers, whatever its redirects."""
    return next((one for one in wish.profiles if Way.DYNAMIC in one.ways), wish.profiles[0])
