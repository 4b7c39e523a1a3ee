"""What an identity provider does for a sign-in, and how it can fail to."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from oauth.errors import OauthError
from oauth.grants import Identity
from oauth.primitives.parameters import Parameters

MAX_SUBJECT = 255  # OpenID Connect Core section 2


class SignInRefused(OauthError):
    """What came back does not prove who this is. The message is ours and is for the log."""


class SignInDeclined(SignInRefused):
    """The person, or the provider on its own account, said no."""


class SignInUnfinished(SignInDeclined):
    """The provider wanted something of the person that it could not ask (OpenID Connect Core section 3.1.2.6)."""


class ProviderUnavailable(OauthError):
    """The provider gave no usable answer in time. The message is ours and is for the log."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """The random parts of one sign-in, each of 256 bits: only the browser that began it holds them, sealed."""

    state: str = field(repr=False)
    verifier: str = field(repr=False)
    nonce: str = field(repr=False)


class Provider(Protocol):
    """One way of signing in with somebody else's account."""

    @property
    def slug(self) -> str:
        """Its name in addresses; each has a redirect URI of its own (RFC 9700 section 4.4.2.2)."""

    @property
    def label(self) -> str:
        """Its name on the button."""

    async def begin(self, challenge: Challenge, *, fresh: bool) -> str:
        """The address that the browser is sent to; `fresh` asks the provider to ask for the password again.

        Raises `ProviderUnavailable`: it is not to be reached.
        """

    async def finish(self, answer: Parameters, challenge: Challenge, now: datetime) -> Identity:
        """Who came back with this answer. Its `state` is known to be that of the challenge.

        Raises `SignInRefused`: it proves nothing; `ProviderUnavailable`: that could not be found out.
        """


def checked_subject(subject: object) -> str:
    """The subject of an identity. Raises `SignInRefused`: it is empty, too long, or no text."""
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
        raise SignInRefused("the subject has no usable form")
    return subject
