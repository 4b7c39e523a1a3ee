"""The themes of a qualitative question: who speaks of what, counted by persona. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from mcp_server.toolsets.panels._aggregation.derived import shared_terms
from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, Who, arrange, usable
from mcp_server.toolsets.panels._aggregation.labels import Vocabulary, labels_of, merged, names_nothing
from mcp_server.toolsets.panels._aggregation.quoting import about
from mcp_server.toolsets.panels._results import Quote, Theme, ThemeCount
from mcp_server.toolsets.panels._study import Code

MOST = 50
READ = 40
"""Answers that are looked through for the sentence that speaks best of a theme."""

SHORTEST_QUOTE = 25


@dataclass(frozen=True, slots=True)
class Themed:
    """The entries with their themes as choices, the original labels of each theme, and whether some were derived."""

    gathered: Gathered
    labels: dict[str, tuple[str, ...]]
    vocabulary: Vocabulary
    derived: bool


def find_themes(gathered: Gathered) -> Themed:
    """Give every usable entry its themes. `gathered` is that of a qualitative question."""
    said = [labels_of(entry.reply) if entry.state == "usable" else [] for entry in gathered.entries]
    silent = [
        place
        for place, entry in enumerate(gathered.entries)
        if entry.state == "usable" and not said[place] and not names_nothing(entry.reply)
    ]
    derived = _derived(gathered, silent)
    for place, labels in derived.items():
        said[place] = labels
    vocabulary = Vocabulary((*(label for labels in said for label in labels), *_codes(gathered.asked.codebook)))
    counted = _counted(zip(gathered.entries, said, strict=True))
    themes = merged(counted, gathered.asked.codebook, vocabulary)
    entries = [
        replace(entry, choices=tuple(dict.fromkeys(themes[label] for label in labels)))
        for entry, labels in zip(gathered.entries, said, strict=True)
    ]
    told = arrange(gathered.asked, (), gathered.groups, entries)
    return Themed(
        replace(told, options=_by_count(told)), _originals(counted, themes), vocabulary, any(derived.values())
    )


def _derived(gathered: Gathered, silent: list[int]) -> dict[int, list[str]]:
    """Labels for those who gave none. A persona that answered in several groups is heard once."""
    first: dict[Who, int] = {}
    for place in silent:
        first.setdefault(gathered.entries[place].who, place)
    messages = [gathered.entries[place].reply.message or "" for place in first.values()]
    terms = dict(zip(first, shared_terms(messages, gathered.asked.text), strict=True))
    return {place: terms[gathered.entries[place].who] for place in silent}


def _codes(codebook: Iterable[Code]) -> list[str]:
    return [label for code in codebook for label in (code.label, *code.original_labels)]


def _counted(said: Iterable[tuple[Entry, list[str]]]) -> dict[str, int]:
    people: dict[str, set[Who]] = {}
    for entry, labels in said:
        for label in labels:
            people.setdefault(label, set()).add(entry.who)
    return {label: len(people[label]) for label in sorted(people)}


def _by_count(gathered: Gathered) -> tuple[str, ...]:
    often = Counter(theme for entry in usable(gathered.everyone) for theme in entry.choices)
    return tuple(sorted(often, key=lambda theme: (-often[theme], theme.casefold(), theme)))


def _originals(counted: dict[str, int], themes: dict[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for label in sorted(counted, key=lambda label: (-counted[label], label)):
        found.setdefault(themes[label], []).append(label)
    return {theme: tuple(labels) for theme, labels in found.items()}


def left_out(themed: Themed) -> int:
    """How many themes are not listed."""
    return max(0, len(themed.gathered.options) - MOST)


def codebook(themed: Themed) -> list[Theme]:
    """The themes, most frequent first, each with a verbatim of somebody who was not quoted yet, if there is one."""
    everyone, answered = usable(themed.gathered.everyone), themed.gathered.answered()
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
                by_group=[_in_group(label, name, entries) for name, entries in answered.items()],
                quote=_quote(label, holders, themed, quoted),
            )
        )
    return found


def _in_group(label: str, group: str, entries: Sequence[Entry]) -> ThemeCount:
    return ThemeCount(group=group, count=sum(label in entry.choices for entry in entries), n=len(entries))


def _quote(label: str, holders: list[Entry], themed: Themed, quoted: set[Who]) -> Quote | None:
    """What a holder said of the theme. `quoted` are those quoted so far, and grows."""
    roots = frozenset().union(*(themed.vocabulary.roots(text) for text in (label, *themed.labels[label])))
    roots_of = cache(themed.vocabulary.roots)
    candidates = []
    for place, entry in enumerate(holders[:READ]):
        shared, text = about(entry.reply.message, roots, roots_of)
        if text:
            rank = (shared == 0, entry.who in quoted, len(text) < SHORTEST_QUOTE, -shared, place)
            candidates.append((rank, entry, text))
    if not candidates:
        return None
    _, entry, text = min(candidates, key=lambda one: one[0])
    quoted.add(entry.who)
    return Quote(persona=entry.reply.persona, group=entry.reply.group, text=text)
