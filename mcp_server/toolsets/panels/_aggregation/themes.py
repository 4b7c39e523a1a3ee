"""The themes of a qualitative question, counted by persona. Pure.

They are the codes of the answers where these are coded. Else they are the labels that the answers give themselves, by
their exact words: what two words have in common is not guessed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, Who, arrange, gather, usable
from mcp_server.toolsets.panels._aggregation.polarity import declines
from mcp_server.toolsets.panels._aggregation.summaries import often
from mcp_server.toolsets.panels._aggregation.texts import WORDS, bare, loose, opening, sentences, shortened, words
from mcp_server.toolsets.panels._results import Quote, Theme, ThemeCount
from mcp_server.toolsets.panels._study import NO_VIEW, OTHER, AskedQuestion, Code, Reply

LONGEST, MOST_WORDS = 80, 8  # of a label, in characters and words; what is longer is an answer

SEPARATOR = re.compile(r"[;|\n]+")
NOTHING = frozenset(WORDS["nothing"])


def is_no_theme(label: str) -> bool:
    """Whether a label names nothing: what many do not know is no theme that they share."""
    return loose(label) in NOTHING or declines(label)


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
    return [] if repeated else [part for part in dict.fromkeys(parts) if not is_no_theme(part)]


def names_nothing(reply: Reply) -> bool:
    """Whether its label names nothing, where it is not coded."""
    if reply.codes is not None:
        return False
    parts = [part for part in map(bare, SEPARATOR.split(reply.value or "")) if part]
    return bool(parts) and all(is_no_theme(part) for part in parts)


def merged(counted: Mapping[str, int], codebook: Sequence[Code]) -> dict[str, str]:
    """Label -> the label of its theme. `counted` says how many people gave each label.

    Codes that the internal API made come first; the rest is one where its words are. The order does not matter.
    """
    coded: dict[str, str] = {}
    for code in codebook:
        for label in (code.label, *code.original_labels):
            coded.setdefault(loose(label), code.label)
    for label in sorted(counted, key=lambda label: (-counted[label], len(label), label)):
        coded.setdefault(loose(label), label)
    return {label: coded[loose(label)] for label in counted}


MOST = 50
READ = 40  # answers that are looked through for the sentence that speaks best of a theme

SHORTEST_QUOTE, MANY = 25, 100


def gather_themed(asked: AskedQuestion) -> Gathered:
    """The replies; every usable one to an open question with its themes as choices: its codes, else its own labels."""
    gathered = gather(asked)
    if asked.type != "qualitative":
        return gathered
    read = _codes if asked.coded_by else labels_of
    said = [read(entry.reply) if entry.state == "usable" else [] for entry in gathered.entries]
    people: dict[str, set[Who]] = {}
    for entry, labels in zip(gathered.entries, said, strict=True):
        for label in labels:
            people.setdefault(label, set()).add(entry.who)
    counted = {label: len(people[label]) for label in sorted(people)}
    themes = {label: label for label in counted} if asked.coded_by else merged(counted, asked.codebook)
    entries = [
        replace(entry, choices=tuple(dict.fromkeys(themes[label] for label in labels)))
        for entry, labels in zip(gathered.entries, said, strict=True)
    ]
    arranged = arrange(asked, (), gathered.groups, entries)
    counts = often(usable(arranged.everyone))
    ranked = tuple(sorted(counts, key=lambda theme: (-counts[theme], theme.casefold(), theme)))
    originals = {code.label: code.original_labels for code in asked.codebook if asked.coded_by}
    for label in sorted(counted, key=lambda label: (-counted[label], label)):
        if not originals.get(label) or not asked.coded_by:
            originals[themes[label]] = (*originals.get(themes[label], ()), label)
    return replace(arranged, options=ranked, labels=originals)


def _codes(reply: Reply) -> list[str]:
    """The themes that it is coded with; what fits none and who has no view are none."""
    return [mark.label for mark in reply.codes or () if mark.id not in {OTHER, NO_VIEW}]


def codebook(gathered: Gathered) -> list[Theme]:
    """The themes, most frequent first, each with a verbatim of somebody who was not quoted yet, if there is one."""
    everyone, answered = usable(gathered.everyone), gathered.answered()
    counts = {name: (often(entries), len(entries)) for name, entries in answered.items()}
    quoted: set[Who] = set()
    found = []
    for label in gathered.options[:MOST]:
        holders = [entry for entry in everyone if label in entry.choices]
        found.append(
            Theme(
                label=label,
                original_labels=list(gathered.labels[label]),
                count=len(holders),
                share=len(holders) / len(everyone),
                by_group=[ThemeCount(group=name, count=counted[label], n=n) for name, (counted, n) in counts.items()],
                quote=_quote(label, holders, gathered.labels[label], quoted),
            )
        )
    return found


def _quote(label: str, holders: Sequence[Entry], labels: Sequence[str], quoted: set[Who]) -> Quote | None:
    """What a holder said of the theme. `quoted` are those quoted so far, and grows."""
    named = {word for text in (label, *labels) for word in words(text)}
    candidates = []
    for place, entry in enumerate(holders[:READ]):
        shown = next((mark.quote for mark in entry.reply.codes or () if mark.label == label), "")
        # The sentence that its code was seen in, else that shares the most words with the theme; the first of equals.
        scored = [
            (MANY if shown and shown in one else len(named.intersection(words(one))), one)
            for one in sentences(entry.reply.message)
        ]
        shared, best = max(scored, key=lambda each: each[0], default=(0, ""))
        if text := shortened(best) if shared else opening(entry.reply.message):
            rank = (shared == 0, entry.who in quoted, len(text) < SHORTEST_QUOTE, -shared, place)
            candidates.append((rank, entry, text))
    if not candidates:
        return None
    _, entry, text = min(candidates, key=lambda one: one[0])
    quoted.add(entry.who)
    return Quote(persona=entry.reply.persona, group=entry.reply.group, text=text)
