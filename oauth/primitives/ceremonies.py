"""The two ceremonies of WebAuthn level 3: a passkey is made, and is used to sign in. Pure.

`oauth.flows.passkeys` loads this module at the first ceremony: the library takes 50 ms and 5 MB, which an installation
without passkeys never needs.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from webauthn import (
    base64url_to_bytes,
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import (
    bytes_to_base64url,
    parse_authentication_credential_json,
    parse_registration_credential_json,
)
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from oauth.errors import Unproven
from oauth.models import Passkey, User
from oauth.primitives.parameters import read_object

NAME = "Minds"
TIMEOUT = 180_000
"""Milliseconds that a browser gives the person: within the life of a challenge that it got a little while ago."""
VERIFIED = UserVerificationRequirement.REQUIRED
"""A passkey stands for both factors: the device, and the fingerprint, face or PIN that unlocks it."""


@dataclass(frozen=True, slots=True)
class Created:
    """A new credential."""

    credential_id: str
    public_key: bytes
    sign_count: int
    transports: str


@dataclass(frozen=True, slots=True)
class Claim:
    """Which passkey of whose an answer says it is of, before anything of it is proven."""

    credential_id: str
    user_id: str


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The server, as authenticators know it: `id` is its host."""

    id: str
    origin: str

    def creation_options(self, user: User, challenge: bytes, held: Sequence[Passkey]) -> str:
        """JSON for `navigator.credentials.create`: discoverable, so that the sign-in needs no address."""
        kind = AuthenticatorSelectionCriteria(resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED)
        options = generate_registration_options(
            rp_id=self.id,
            rp_name=NAME,
            user_id=user.id.encode(),
            user_name=user.email,
            challenge=challenge,
            timeout=TIMEOUT,
            authenticator_selection=kind,
            exclude_credentials=[_descriptor(each) for each in held],
        )
        return options_to_json(options)

    def request_options(self, challenge: bytes) -> str:
        """JSON for `navigator.credentials.get`, for whichever passkey the person chooses."""
        options = generate_authentication_options(
            rp_id=self.id, challenge=challenge, timeout=TIMEOUT, user_verification=VERIFIED
        )
        return options_to_json(options)

    def created(self, answer: str, challenge: bytes) -> Created:
        """The new credential.

        Raises `Unproven`: it was not made here, not for this challenge, or by nobody who was verified.
        """
        with _parsing():
            credential = parse_registration_credential_json(read_object(answer.encode()))
            proven = verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=self.id,
                expected_origin=self.origin,
                require_user_verification=True,
            )
            credential_id = bytes_to_base64url(proven.credential_id)
        transports = " ".join(sorted({each.value for each in credential.response.transports or ()}))
        return Created(credential_id, proven.credential_public_key, proven.sign_count, transports)

    def claim(self, answer: str) -> Claim:
        """Raises `Unproven`: it cannot be read, or does not say whose it is."""
        with _parsing():
            credential = parse_authentication_credential_json(read_object(answer.encode()))
            user_id = (credential.response.user_handle or b"").decode()
            return Claim(bytes_to_base64url(credential.raw_id), user_id)

    def sign_count(self, answer: str, challenge: bytes, public_key: bytes) -> int:
        """What the authenticator counts.

        Raises `Unproven`: the answer was not made here, not for this challenge, not with this key, or for nobody who
        was verified.
        """
        with _parsing():
            proven = verify_authentication_response(
                credential=read_object(answer.encode()),
                expected_challenge=challenge,
                expected_rp_id=self.id,
                expected_origin=self.origin,
                credential_public_key=public_key,
                credential_current_sign_count=0,  # the store compares it, with the one that is kept at that moment
                require_user_verification=True,
            )
        return proven.new_sign_count


def _descriptor(passkey: Passkey) -> PublicKeyCredentialDescriptor:
    transports = [AuthenticatorTransport(each) for each in passkey.transports.split()]
    return PublicKeyCredentialDescriptor(base64url_to_bytes(passkey.credential_id), transports=transports)


@contextmanager
def _parsing() -> Iterator[None]:
    try:
        yield
    except Exception as fault:  # noqa: BLE001  in what strangers send, the library's parsers meet more than they foresee
        raise Unproven(f"{type(fault).__name__}: {fault}") from None
