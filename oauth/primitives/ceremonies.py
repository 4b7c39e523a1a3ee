"""The two ceremonies of WebAuthn level 3: a passkey is made, and is used to sign in. Pure but for the randomness.

`oauth.flows.passkeys` loads this module at the first ceremony: the library takes 50 ms and 5 MB, which an installation
without passkeys never needs.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

import webauthn
from webauthn import helpers
from webauthn.helpers import structs

from oauth.errors import Unproven
from oauth.models import Passkey, User
from oauth.primitives.parameters import read_object

NAME = "Minds"
TIMEOUT = 180_000
"""Milliseconds that a browser gives the person: within the life of a challenge that it got a little while ago."""
VERIFIED = structs.UserVerificationRequirement.REQUIRED
"""A passkey stands for both factors: the device, and the fingerprint, face or PIN that unlocks it."""


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The server, as authenticators know it: `id` is its host."""

    id: str
    origin: str

    def creation_options(self, user: User, challenge: bytes, held: Sequence[Passkey]) -> str:
        """JSON for `navigator.credentials.create`: discoverable, so that the sign-in needs no address."""
        kind = structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
        )
        options = webauthn.generate_registration_options(
            rp_id=self.id,
            rp_name=NAME,
            user_id=user.id.encode(),
            user_name=user.email,
            challenge=challenge,
            timeout=TIMEOUT,
            authenticator_selection=kind,
            exclude_credentials=[_descriptor(each) for each in held],
        )
        return webauthn.options_to_json(options)

    def request_options(self, challenge: bytes) -> str:
        """JSON for `navigator.credentials.get`, for whichever passkey the person chooses."""
        options = webauthn.generate_authentication_options(
            rp_id=self.id, challenge=challenge, timeout=TIMEOUT, user_verification=VERIFIED
        )
        return webauthn.options_to_json(options)

    def created(self, answer: str, challenge: bytes, user: User, name: str, now: datetime) -> Passkey:
        """Raises `Unproven`: it was not made here, not for this challenge, or by nobody who was verified."""
        with _parsing():
            credential = helpers.parse_registration_credential_json(read_object(answer.encode()))
            made = webauthn.verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=self.id,
                expected_origin=self.origin,
                require_user_verification=True,
            )
        transports = " ".join(sorted({each.value for each in credential.response.transports or ()}))
        named = helpers.bytes_to_base64url(made.credential_id)
        public_key, count = made.credential_public_key, made.sign_count
        return Passkey(str(uuid4()), user.id, named, public_key, count, name, transports, now)

    def claim(self, answer: str) -> tuple[str, str]:
        """Which passkey of which account it says it is of, unproven. Raises `Unproven`: it cannot even be read."""
        with _parsing():
            credential = helpers.parse_authentication_credential_json(read_object(answer.encode()))
            user_id = (credential.response.user_handle or b"").decode()
            return helpers.bytes_to_base64url(credential.raw_id), user_id

    def sign_count(self, answer: str, challenge: bytes, public_key: bytes) -> int:
        """Raises `Unproven`: it was not made here, for this challenge, with this key, by somebody who was verified."""
        with _parsing():
            used = webauthn.verify_authentication_response(
                credential=read_object(answer.encode()),
                expected_challenge=challenge,
                expected_rp_id=self.id,
                expected_origin=self.origin,
                credential_public_key=public_key,
                credential_current_sign_count=0,  # the store compares it, with the one that is kept at that moment
                require_user_verification=True,
            )
        return used.new_sign_count


def _descriptor(passkey: Passkey) -> structs.PublicKeyCredentialDescriptor:
    transports = [structs.AuthenticatorTransport(each) for each in passkey.transports.split()]
    named = webauthn.base64url_to_bytes(passkey.credential_id)
    return structs.PublicKeyCredentialDescriptor(named, transports=transports)


@contextmanager
def _parsing() -> Iterator[None]:
    try:
        yield
    except Exception as fault:  # noqa: BLE001  in what strangers send, the library's parsers meet more than they foresee
        raise Unproven(f"{type(fault).__name__}: {fault}") from None
