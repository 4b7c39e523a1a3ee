"""Passwords of the embedded accounts: the rule, the hash, the check. argon2 works outside the event loop."""

import unicodedata

import anyio.to_thread
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from oauth.errors import Unacceptable

MIN_LENGTH = 10
MAX_LENGTH = 1_024  # a longer one is somebody trying how much memory a sign-in may take

HASHER = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=4)  # RFC 9106, second recommendation
# A hash of 32 random bytes that nobody kept, with the parameters of `HASHER`: checking against it costs an
# unknown address the same time as a known one, so that the answer does not tell which addresses exist.
NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$1zFZZe79hf+teY7+fFRlMA$nOd5Z9XKbnCfROykA0GJU2lFj+f0DeG071eTyR4vahI"


async def hash_password(password: str) -> str:
    """The argon2id hash to store.

    Raises `Unacceptable`: the password is shorter than `MIN_LENGTH` or longer than `MAX_LENGTH` characters.
    """
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise Unacceptable(f"Choose a password of {MIN_LENGTH} to {MAX_LENGTH} characters.")
    return await anyio.to_thread.run_sync(HASHER.hash, _normal(password))


async def password_matches(password_hash: str | None, password: str) -> bool:
    """Whether `password` is the one behind the hash; without a hash the answer is no, after the same work."""
    if len(password) > MAX_LENGTH:
        return False
    matches = await anyio.to_thread.run_sync(_matches, password_hash or NOBODY, _normal(password))
    return matches and password_hash is not None


def _matches(password_hash: str, password: bytes) -> bool:
    try:
        return HASHER.verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False


def _normal(password: str) -> bytes:
    """One form however the keyboard composed it (NIST SP 800-63B 3.1.1.2)."""
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")
