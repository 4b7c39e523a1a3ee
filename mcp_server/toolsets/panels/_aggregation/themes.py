"""The themes of a qualitative question: who speaks of what by the labels of the answers, counted by persona. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, Who, arrange, usable
from mcp_server.toolsets.panels._aggregation.labels import Stems, labels_of, merged
from mcp_server.toolsets.panels._aggregation.summaries import often
from mcp_server.toolsets.panels._aggregation.texts import opening, sentences, shortened
from mcp_server.toolsets.panels._results import Quote, Theme, ThemeCount

MOST = 50
READ = 40
"""Answers that are looked through for the sentence that speaks best of a theme."""

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
