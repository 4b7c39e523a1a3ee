"""Passwords of the embedded accounts: the rule, the hash, the check. argon2 works outside the event loop."""

import asyncio
import os
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from oauth.errors import Unacceptable

MIN_LENGTH = 10
MAX_LENGTH = 1_024  # a longer one is somebody trying how much memory a sign-in may take

# RFC 9106's second recommendation, but for its four lanes: each would be a thread that other people's calls wait for.
HASHER = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=1)
# A hash of 32 random bytes that nobody kept, with the parameters of `HASHER`: checking against it costs an
# unknown address the same time as a known one, so that the answer does not tell which addresses exist.
NOBODY = "$argon2id$v=19$m=65536,t=3,p=1$5NGLghWe/tpCo5QUpdEoIQ$mVUSUEu/+3saZ0VQiMldg1JPxbG2PcMSASgpKkANLZc"


async def hash_password(password: str) -> str:
    """The argon2id hash to store. Raises `Unacceptable`: as `check_length`."""
    check_length(password)
    return await asyncio.get_running_loop().run_in_executor(_one_thread(), HASHER.hash, _normal(password))


def check_length(password: str) -> None:
    """Raise `Unacceptable` if it is shorter than `MIN_LENGTH` or longer than `MAX_LENGTH` characters."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise Unacceptable(f"Choose a password of {MIN_LENGTH} to {MAX_LENGTH} characters.")


def is_outdated(password_hash: str) -> bool:
    return HASHER.check_needs_rehash(password_hash)


async def password_matches(password_hash: str | None, password: str) -> bool:
    """Whether `password` is the one behind the hash; without a hash the answer is no, after the same work."""
    if len(password) > MAX_LENGTH:
        return False
    known, loop = password_hash or NOBODY, asyncio.get_running_loop()
    matches = await loop.run_in_executor(_one_thread(), _matches, known, _normal(password))
    return matches and password_hash is not None


def _matches(password_hash: str, password: bytes) -> bool:
    try:
        return HASHER.verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _one_thread() -> ThreadPoolExecutor:
    """One for the process: each hash takes 64 MiB. Nothing else waits for it, as it would in asyncio's own."""
    # On Linux a thread has a priority of its own: this one stands back for those who call tools.
    stand_back = partial(os.setpriority, os.PRIO_PROCESS, 0, 5) if sys.platform == "linux" else None
    return ThreadPoolExecutor(1, "argon2", stand_back)


def _normal(password: str) -> bytes:
    """One form however the keyboard composed it (NIST SP 800-63B 3.1.1.2)."""
    return unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")
