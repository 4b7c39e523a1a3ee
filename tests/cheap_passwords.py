"""Hashes of passwords that cost next to nothing, for all that is not about what a hash costs."""

from argon2 import PasswordHasher

from oauth.primitives import passwords

AS_SHIPPED = {"HASHER": passwords.HASHER, "NOBODY": passwords.NOBODY}
"""What `oauth.primitives.passwords` has by itself; a hash takes a fifth of a second with it."""

_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
CHEAP = {"HASHER": _HASHER, "NOBODY": _HASHER.hash("nobody's")}
