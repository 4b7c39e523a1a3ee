"""Links that open one file for a few minutes, and need no credential: whoever has the link may read it. Pure."""

import hmac
from dataclasses import dataclass
from hashlib import sha256

from app.internal_api.routes.shown import PREFIX

PURPOSE = b"links to exports, version 1"
LONGEST = 20  # digits of a moment


@dataclass(frozen=True, slots=True)
class LinkKey:
    """What links are signed with; the same in all processes of one installation."""

    key: bytes

    @classmethod
    def derived(cls, secret: str) -> "LinkKey":
        """For links alone: who learns it can make no credential of it, nor the other way about."""
        return cls(hmac.digest(secret.encode(), PURPOSE, sha256))

    def link(self, job_id: str, expires: int) -> str:
        """The path of a file until `expires`, in epoch seconds."""
        return f"{PREFIX}/exports/{job_id}/file?expires={expires}&signature={self._signature(job_id, str(expires))}"

    def opens(self, job_id: str, expires: str, signature: str, now: int) -> bool:
        """Whether such a link was given out, and is not too old; `now` is in epoch seconds."""
        if not (expires.isascii() and expires.isdecimal() and len(expires) <= LONGEST):
            return False
        genuine = hmac.compare_digest(self._signature(job_id, expires).encode(), signature.encode())
        return genuine and now < int(expires)

    def _signature(self, job_id: str, expires: str) -> str:
        return hmac.new(self.key, f"{job_id}:{expires}".encode(), sha256).hexdigest()
