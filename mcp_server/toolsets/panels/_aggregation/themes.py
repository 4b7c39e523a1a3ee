"""The themes of a qualitative question: who speaks of what by the labels of the answers, counted by persona. Pure.

Labels that mean the same become one theme; those that may mean something else stay apart.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pkgutil import resolve_name

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, Who, arrange, usable
from mcp_server.toolsets.panels._aggregation.summaries import often
from mcp_server.toolsets.panels._aggregation.texts import WORDS, bare, loose, opening, sentences, shortened, words
from mcp_server.toolsets.panels._results import Quote, Theme, ThemeCount
from mcp_server.toolsets.panels._study import Code, Reply

LONGEST, MOST_WORDS = 80, 8  # of a label, in characters and words; what is longer is an answer

SEPARATOR = re.compile(r"[;|\n]+")
ARTICLES_AND_PREPOSITIONS = "a an the of for to in on at and der die das den le la les un une des du de el los las una"
ARTICLES = frozenset(ARTICLES_AND_PREPOSITIONS.split())
"""Words without which a label is the same. Never those that turn its sense: no, not, too, without, more, less."""

RELATIONS = "over than before after versus vs from not no without instead als statt ohne"
ORDERED_BY = frozenset(RELATIONS.split())
"""With one of these the order of the words is the sense: price over quality."""

NO_VIEW = frozenset(loose(view) for view in (*WORDS["no_view"], *WORDS["nothing"]))
"""Labels of answers that name nothing: what many do not know is no theme that they share."""


def labels_of(reply: Reply) -> list[str]:
    """The labels that a value gives; none where it is missing, an essay, or just the answer once more."""
    value = reply.value or ""
    parts = [
        part
        for part in map(bare, SEPARATOR.split(value))
        if 0 < len(part) <= LONGEST and len(part.split()) <= MOST_WORDS and any(sign.isalnum() for sign in part)
    ]
    # "Price" said as value and as message is a label; a sentence said twice is not.
    repeated = loose(value) == loose(reply.message) and len(words(value)) > MOST_WORDS // 2
    return [] if repeated else [part for part in dict.fromkeys(parts) if loose(part) not in NO_VIEW]


def names_nothing(reply: Reply) -> bool:
    parts = [part for part in map(bare, SEPARATOR.split(reply.value or "")) if part]
    return bool(parts) and all(loose(part) in NO_VIEW for part in parts)


class Stems:
    """Stems of words, each worked out once. A stemmer has state: one belongs to one thread."""

    def __init__(self) -> None:
        self._stemmer = resolve_name("snowballstemmer:stemmer")("english")
        self._known: dict[str, str] = {}

    def of(self, text: str) -> list[str]:
        """The stems of the words that say something."""
        return [self._stem(word) for word in words(text) if word not in ARTICLES]

    def key(self, label: str) -> str:
        """Equal for labels that mean the same, whatever the order of the words unless the order is the sense."""
        stems = self.of(label)
        ordered = stems if not ORDERED_BY.isdisjoint(words(label)) else sorted(set(stems))
        return " ".join(ordered) or loose(label)

    def joined(self, label: str) -> str:
        """`sign up` and `signup` alike."""
        return self._stem("".join(words(label))) or loose(label)

    def _stem(self, word: str) -> str:
        if word not in self._known:
            self._known[word] = self._stemmer.stemWord(word)
        return self._known[word]


def merged(counted: Mapping[str, int], codebook: Sequence[Code], stems: Stems) -> dict[str, str]:
    """Label -> the label of its theme. `counted` says how many people gave each label.

    Codes that the internal API made come first; the rest is merged by stems. The order of the labels does not matter.
    """
    coded: dict[str, str] = {}
    claims = [(label, code.label) for code in codebook for label in (code.label, *code.original_labels)]
    for spelling in (loose, stems.key):
        for label, code in claims:
            coded.setdefault(spelling(label), code)
    codes = {label: coded.get(loose(label)) or coded.get(stems.key(label)) for label in counted}
    found = {label: code for label, code in codes.items() if code is not None}
    for alike in _alike([label for label in counted if label not in found], stems):
        best = min(alike, key=lambda label: (-counted[label], len(label), label))
        found.update(dict.fromkeys(alike, best))
    return found


def _alike(labels: Iterable[str], stems: Stems) -> Iterable[set[str]]:
    """Labels that share a key, or a spelling without blanks, also in a chain."""
    keys = {label: (stems.key(label), f"={stems.joined(label)}") for label in labels}
    sets: dict[str, set[str]] = {}
    for label, own in keys.items():
        together = {label}.union(*(sets.get(key, ()) for key in own))
        for member in together:
            sets |= dict.fromkeys(keys[member], together)
    return {min(together): together for together in sets.values()}.values()


MOST = 50
READ = 40  # answers that are looked through for the sentence that speaks best of a theme

SHORTEST_QUOTE = 25


@dataclass(frozen=True, slots=True)
class Themed:
    """The entries with their themes as choices, and the original labels of each theme."""

    gathered: Gathered
    labels: dict[str, tuple[str, ...]]
    stems: Stems


def find_themes(gathered: Gathered) -> Themed:
    """Give every usable entry its themes. `gathered` is that of a qualitative question."""
    stems = Stems()
    said = [labels_of(entry.reply) if entry.state == "usable" else [] for entry in gathered.entries]
    people: dict[str, set[Who]] = {}
    for entry, labels in zip(gathered.entries, said, strict=True):
        for label in labels:
            people.setdefault(label, set()).add(entry.who)
    counted = {label: len(people[label]) for label in sorted(people)}
    themes = merged(counted, gathered.asked.codebook, stems)
    entries = [
        replace(entry, choices=tuple(dict.fromkeys(themes[label] for label in labels)))
        for entry, labels in zip(gathered.entries, said, strict=True)
    ]
    arranged = arrange(gathered.asked, (), gathered.groups, entries)
    counts = often(usable(arranged.everyone))
    ranked = tuple(sorted(counts, key=lambda theme: (-counts[theme], theme.casefold(), theme)))
    originals: dict[str, tuple[str, ...]] = {}
    for label in sorted(counted, key=lambda label: (-counted[label], label)):
        originals[themes[label]] = (*originals.get(themes[label], ()), label)
    return Themed(replace(arranged, options=ranked), originals, stems)


def codebook(themed: Themed) -> list[Theme]:
    """The themes, most frequent first, each with a verbatim of somebody who was not quoted yet, if there is one."""
    everyone, answered = usable(themed.gathered.everyone), themed.gathered.answered()
    counts = {name: (often(entries), len(entries)) for name, entries in answered.items()}
    quoted: set[Who] = set()
    found = []
    for label in themed.gathered.options[:MOST]:
        holders = [entry for entry in everyone if label in entry.choices]
        found.append(
            Theme(
                label=label,
                original_labels=list(themed.labels[label]),
                count=len(holders),
                share=len(holders) / len(everyone),
                by_group=[ThemeCount(group=name, count=counted[label], n=n) for name, (counted, n) in counts.items()],
                quote=_quote(label, holders, themed, quoted),
            )
        )
    return found


def _quote(label: str, holders: Sequence[Entry], themed: Themed, quoted: set[Who]) -> Quote | None:
    """What a holder said of the theme. `quoted` are those quoted so far, and grows."""
    stems = {stem for text in (label, *themed.labels[label]) for stem in themed.stems.of(text)}
    candidates = []
    for place, entry in enumerate(holders[:READ]):
        # The sentence that shares the most stems with the theme; the first of equal ones.
        scored = [(len(stems.intersection(themed.stems.of(one))), one) for one in sentences(entry.reply.message)]
        shared, best = max(scored, key=lambda each: each[0], default=(0, ""))
        if text := shortened(best) if shared else opening(entry.reply.message):
            rank = (shared == 0, entry.who in quoted, len(text) < SHORTEST_QUOTE, -shared, place)
            candidates.append((rank, entry, text))
    if not candidates:
        return None
    _, entry, text = min(candidates, key=lambda one: one[0])
    quoted.add(entry.who)
    return Quote(persona=entry.reply.persona, group=entry.reply.group, text=text)
