"""The code that a person reads on one screen and types on another (RFC 8628 section 6.1). Pure but for chance."""

import re
import secrets

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""The RFC's own: no vowels, so that no words arise, and no digits that look like letters. 8 of them are 34.5 bits."""

LENGTH = 8
_HALF = LENGTH // 2
_FORM = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")


def new_user_code() -> str:
    """A code in the form in which it is looked up."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def shown(code: str) -> str:
    """The form for people: XXXX-XXXX."""
    return f"{code[:_HALF]}-{code[_HALF:]}"


def read(typed: str) -> str | None:
    """The code that somebody meant, in whatever case and with whatever between the letters; None: it is none."""
    if len(typed) > 4 * LENGTH:
        return None
    code = re.sub(r"[\W_]", "", typed).upper()
    return code if _FORM.fullmatch(code) else None
