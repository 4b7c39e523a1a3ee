"""Accounts of the embedded sign-in: one address, one account."""

import re
import unicodedata
from datetime import datetime
from uuid import uuid4

from oauth.errors import Unacceptable, Unknown
from oauth.models import User
from oauth.primitives.passwords import hash_password
from oauth.stores.accounts import AccountStore

MAX_EMAIL_LENGTH = 254  # RFC 5321 section 4.5.3.1.3, less the angle brackets
EMAIL_FORM = re.compile(r"[^@\s]+@[^@\s]+")


def fold_email(email: str) -> str:
    """The form in which two spellings of one address are equal. Raises `Unacceptable`: it is no e-mail address."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", email.strip()).casefold())
    if len(folded) > MAX_EMAIL_LENGTH or not folded.isprintable() or not EMAIL_FORM.fullmatch(folded):
        raise Unacceptable("Give an e-mail address, such as ada@example.com.")
    return folded


async def create_user(store: AccountStore, email: str, password: str, now: datetime) -> User:
    """A new account.

    Raises `Unacceptable`: the address or the password breaks a rule; `Conflict`: the address is taken.
    """
    folded = fold_email(email)
    user = User(id=str(uuid4()), email=folded, created_at=now, password_hash=await hash_password(password))
    await store.add_user(user)
    return user


async def require_user(store: AccountStore, email: str) -> User:
    """The account with this address. Raises `Unacceptable`: it is no e-mail address; `Unknown`: nobody has it."""
    user = await store.find_user(fold_email(email))
    if user is None:
        raise Unknown(f"No account has the address {fold_email(email)}.")
    return user


async def disable_user(store: AccountStore, email: str, now: datetime) -> User:
    """Stop the account and all its keys, in every process. Doing it twice keeps the first time.

    Its browser sessions and what it granted to apps end for good.
    """
    user = await require_user(store, email)
    if user.disabled_at is None:
        await store.set_disabled(user.id, now)
    return await require_user(store, email)


async def enable_user(store: AccountStore, email: str) -> User:
    """Let the account and its unrevoked, unexpired keys work again. Apps and browsers have to sign in anew."""
    user = await require_user(store, email)
    await store.set_disabled(user.id, None)
    return await require_user(store, email)
