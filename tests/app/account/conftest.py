"""Passwords that cost next to nothing."""

from tests.oauth.conftest import cheap_passwords

__all__ = ["cheap_passwords"]
