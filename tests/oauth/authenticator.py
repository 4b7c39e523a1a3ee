"""A software authenticator of WebAuthn: it answers as a script of ours sends it, with any part told otherwise."""

import hashlib
import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40
NO_AAGUID = bytes(16)


def text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Authenticator:
    """One credential. `user_handle`, `origin`, `host`, `flags` and `count` are what its next answer says."""

    origin: str
    host: str
    flags: int = PRESENT | VERIFIED
    count: int = 0
    user_handle: bytes = b""
    credential_id: bytes = field(default_factory=lambda: os.urandom(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: str) -> str:
        """The answer of `navigator.credentials.create`."""
        asked = json.loads(options)
        self.user_handle = _bytes(asked["user"]["id"])
        point = self.key.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32), -3: point.y.to_bytes(32)}  # RFC 9053: EC2, ES256, P-256
        credential = NO_AAGUID + len(self.credential_id).to_bytes(2) + self.credential_id + cbor2.dumps(public)
        data = self._data(ATTESTED) + credential
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        return self._answer(
            clientDataJSON=self._client_data("webauthn.create", asked["challenge"]),
            attestationObject=attestation,
            transports=["internal", "hybrid"],
        )

    def get(self, options: str) -> str:
        """The answer of `navigator.credentials.get`."""
        client_data, data = self._client_data("webauthn.get", json.loads(options)["challenge"]), self._data()
        signature = self.key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(SHA256()))
        return self._answer(
            clientDataJSON=client_data, authenticatorData=data, signature=signature, userHandle=self.user_handle
        )

    def _data(self, more_flags: int = 0) -> bytes:
        host = hashlib.sha256(self.host.encode()).digest()
        return host + bytes([self.flags | more_flags]) + self.count.to_bytes(4)

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode()

    def _answer(self, **response: Any) -> str:
        told = {name: text(each) if isinstance(each, bytes) else each for name, each in response.items()}
        name = text(self.credential_id)
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": told})


def _bytes(encoded: str) -> bytes:
    return urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
