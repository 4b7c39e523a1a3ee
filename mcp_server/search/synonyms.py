"""Words that the language of software documentation uses for one thing: people search by one, and pages say another."""

from collections.abc import Callable
from pkgutil import resolve_name

GROUPS = """
sign-in login authenticate authentication auth
delete remove destroy unpublish
folder directory
error exception failure
setting configuration config option
several multiple many
combine compose composition merge mount
repository repo monorepo workspace
run execute invoke start launch exec
interface ui gui app
env environment
deploy host publish
performance speed fast slow
schedule cron periodic timer
picture image photo
permission access grant authorization
credential secret token key
address url route link
unknown missing not-found 404
spinner loading pending
translate translation internationalization i18n localization language locale
log logging logger
monitor observe telemetry metrics
upgrade update migrate migration
install installation setup
limit throttle quota rate-limit
answer response reply result
ask prompt elicit elicitation request
stop cancel abort terminate
undo revert rollback unpublish
crawler robot bot robots
visitor user
older legacy previous old
database db table
vulnerability security advisory audit
test testing e2e
"""


class Synonyms:
    """Finds them by stems, so that other forms of a word have the same ones."""

    def __init__(self) -> None:
        self._stem: Callable[[str], str] = resolve_name("snowballstemmer:stemmer")("porter").stemWord
        self._by_stem: dict[str, tuple[str, ...]] = {}
        for group in (line.split() for line in GROUPS.strip().splitlines()):
            for word in group:
                others = tuple(other.replace("-", " ") for other in group if other != word)
                stem = self._stem(word)
                self._by_stem[stem] = self._by_stem.get(stem, ()) + others

    def of(self, word: str) -> tuple[str, ...]:
        """What else `word` may be called."""
        return self._by_stem.get(self._stem(word), ())
