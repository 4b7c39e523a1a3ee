"""What can go wrong in the gatehouse, and who should hear of it.

OauthError
├── Refused             the asker can mend it: the message is one safe sentence that says what to do
│   ├── Unacceptable    what was given breaks a rule (an e-mail address, a name, a scope, a password)
│   ├── Unknown         nothing here has that id or address
│   └── Conflict        it is there already, or no longer in the state that the request needs
└── StoreUnavailable    the store gave no answer: 503 at the edge, never "anonymous" and never "wrong key"
"""


class OauthError(Exception):
    """Base of everything that this package raises on purpose."""


class Refused(OauthError):
    """The message is meant for the person who asked and holds nothing secret."""


class Unacceptable(Refused):
    pass


class Unknown(Refused):
    pass


class Conflict(Refused):
    pass


class StoreUnavailable(OauthError):
    """The message is for the log: it may quote the database."""
