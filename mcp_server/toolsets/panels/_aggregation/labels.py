"""Theme labels that mean the same become one theme; those that may mean something else stay apart. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from mcp_server.toolsets.panels._aggregation.roots import Roots
from mcp_server.toolsets.panels._aggregation.texts import bare, loose, words
from mcp_server.toolsets.panels._study import Code, Reply

LONGEST, MOST_WORDS = 80, 8
"""Of a label, in characters and words; what is longer is an answer."""

SEPARATOR = re.compile(r"[;|\n]+")
ARTICLES_AND_THE_LIKE = """
    a an the of for to in on at and is are was be my our your its their this that very really quite
    der die das den dem des ein eine und fur im am mit sehr le la les un une des du de et au aux tres
    el los las una y del al muy
"""
SAYS_NOTHING = frozenset(ARTICLES_AND_THE_LIKE.split())
"""Words without which a label is the same. Never those that turn its sense: no, not, too, without, more, less."""

NO_VIEWS = """
    no clear view; no view; no clear opinion; no opinion; nothing in particular; don't know; do not know; not sure;
    unsure; no idea; no answer; none; nothing; n/a; keine klare meinung; keine meinung; nichts besonderes; weiss nicht;
    nichts; sin opinion clara; sin opinion; nada en particular; no se; nada; pas d'avis clair; pas d'avis; sans opinion;
    rien de particulier; je ne sais pas; rien
"""
NO_VIEW = frozenset(loose(view) for view in NO_VIEWS.split(";"))
"""Labels of answers that name nothing: what many do not know is no theme that they share."""

TOO = frozenset({"too", "zu", "trop", "demasiado"})
COMPLAINED_OF = """
    boring buggy complicated confusing costly cluttered difficult expensive noisy overwhelming pricey risky slow
    unclear langsam kompliziert teuer unklar cher chere complique lent lente caro cara complicado lento lenta
"""
COMPLAINTS = frozenset(COMPLAINED_OF.split())
"""Too much of these is only more of the same; "too simple" is another thing than "simple"."""

RELATIONS = """
    over than before after versus vs from not no without instead but als statt ohne nicht vor nach von avant apres
    sans que pas plutot antes despues sin
"""
ORDERED_BY = frozenset(RELATIONS.split())
"""With one of these the order of the words is the sense: price over quality."""

Key = tuple[str, ...]


def labels_of(reply: Reply) -> list[str]:
    """The labels that a value gives; none where it is missing, an essay, or just the answer once more."""
    value = reply.value or ""
    parts = [part for part in map(bare, SEPARATOR.split(value)) if _is_label(part)]
    # "Price" said as value and as message is a label; a sentence said twice is not.
    repeated = loose(value) == loose(reply.message) and len(words(value)) > MOST_WORDS // 2
    return [] if repeated else [part for part in dict.fromkeys(parts) if loose(part) not in NO_VIEW]


def names_nothing(reply: Reply) -> bool:
    """Whether a value says that there is no view."""
    parts = [part for part in map(bare, SEPARATOR.split(reply.value or "")) if part]
    return bool(parts) and all(loose(part) in NO_VIEW for part in parts)


def _is_label(part: str) -> bool:
    return 0 < len(part) <= LONGEST and len(part.split()) <= MOST_WORDS and any(sign.isalnum() for sign in part)


class Vocabulary:
    """The roots of all words of the labels, and the keys that labels are compared by."""

    def __init__(self, labels: Iterable[str]) -> None:
        counted: Counter[str] = Counter()
        for label in labels:
            counted.update(set(words(label)))
        self._roots = Roots(counted)

    def roots(self, text: str) -> set[str]:
        """The roots of the words of any text that say something."""
        return {self._roots.of(word) for word in words(text) if word not in SAYS_NOTHING}

    def key(self, label: str) -> Key:
        """Equal for labels that mean the same."""
        each = words(label)
        telling = [word for word, after in pairwise([*each, ""]) if not _is_idle(word, after)] or each
        roots = [self._roots.of(word) for word in telling] or [loose(label)]
        return tuple(roots) if not ORDERED_BY.isdisjoint(each) else tuple(sorted(set(roots)))

    def joined(self, label: str) -> str:
        """`sign up` and `signup` alike."""
        return "".join(map(self._roots.of, words(label))) or loose(label)


def _is_idle(word: str, after: str) -> bool:
    return word in SAYS_NOTHING or (word in TOO and after in COMPLAINTS)


def merged(counted: Mapping[str, int], codebook: Sequence[Code], vocabulary: Vocabulary) -> dict[str, str]:
    """Label -> the label of its theme. `counted` says how many people gave each label.

    Codes that the internal API made come first; the rest is merged by key. The order of the labels does not matter.
    """
    coded = _coded(codebook, vocabulary)
    found = {label: code for label in counted if (code := _code(label, coded, vocabulary)) is not None}
    own = {label: count for label, count in counted.items() if label not in found}
    together: dict[str, list[str]] = {}
    for label, root in _components(own, vocabulary).items():
        together.setdefault(root, []).append(label)
    for alike in together.values():
        best = min(alike, key=lambda label: (-own[label], len(label), label))
        found.update(dict.fromkeys(alike, best))
    return found


def _coded(codebook: Sequence[Code], vocabulary: Vocabulary) -> dict[str | Key, str]:
    """Spelling, or key, -> the first code that claims it."""
    found: dict[str | Key, str] = {}
    for code in codebook:
        for label in (code.label, *code.original_labels):
            found.setdefault(loose(label), code.label)
    for code in codebook:
        for label in (code.label, *code.original_labels):
            found.setdefault(vocabulary.key(label), code.label)
    return found


def _code(label: str, coded: Mapping[str | Key, str], vocabulary: Vocabulary) -> str | None:
    return coded.get(loose(label)) or coded.get(vocabulary.key(label))


def _components(labels: Iterable[str], vocabulary: Vocabulary) -> dict[str, str]:
    """Label -> a name of all labels that share a key, or a spelling without blanks, also in a chain."""
    parents: dict[str | Key, str | Key] = {}

    def top(node: str | Key) -> str | Key:
        while (above := parents.setdefault(node, node)) != node:
            parents[node] = node = parents[above]
        return node

    nodes = {label: (vocabulary.key(label), vocabulary.joined(label)) for label in sorted(labels)}
    for key, joined in nodes.values():
        parents[top(joined)] = top(key)
    return {label: repr(top(key)) for label, (key, _) in nodes.items()}
