"""The Markdown report: everything is in it, and nothing in it is anybody else's markup."""

from dataclasses import replace

from mcp_server.toolsets.panels._exports.markdown import markdown
from tests.mcp_server.toolsets.panels._exports.viewing import kinds, shown, tokens
from tests.mcp_server.toolsets.panels.reports import (
    HOSTILE,
    LONG,
    PLAIN,
    big_report,
    empty_report,
    report_of,
    report_with,
)

REPORT = report_of()
SOURCE = markdown(REPORT).decode()


def headings(source: str, level: int) -> list[str]:
    found = tokens(source)
    return [
        "".join(child.content for child in found[place + 1].children or ())
        for place, token in enumerate(found)
        if token.type == "heading_open" and token.tag == f"h{level}"
    ]


def test_it_goes_from_the_headline_to_the_answers() -> None:
    questions = [f"Q{number}. {section.asked.text}" for number, section in enumerate(REPORT.sections, 1)]

    assert headings(SOURCE, 1) == [REPORT.panel]
    assert headings(SOURCE, 2) == ["In short", *questions, "How the figures were made", "All answers"]


def test_every_reply_is_there_with_who_and_what() -> None:
    text = shown(markdown(big_report()).decode())

    for section in big_report().sections:
        for reply in section.asked.replies:
            assert reply.persona.strip() in text
    assert text.count("Too slow") == text.count("Failed: engine_error") == 40
    assert LONG.strip() in text


def test_all_scripts_survive() -> None:
    text = shown(SOURCE)

    for said in PLAIN:
        assert said in text


def test_every_part_of_a_result_is_told() -> None:
    found = headings(SOURCE, 3)

    for heading in ["By group", "Agreement", "Disagreement", "Who sees it otherwise", "Strongest voices"]:
        assert found.count(heading) == 4
    assert found.count("Distribution") == 3
    assert found.count("Themes") == found.count("Differences between groups") == 1
    assert found.count("Read with care") == 5


def test_hostile_texts_anywhere_become_nothing_but_text() -> None:
    for text in HOSTILE:
        report = report_with([text], panel=text)
        section = report.sections[0]
        asked = replace(section.asked, text=text, notes=(text,), engine=text)
        source = markdown(replace(report, sections=(replace(section, asked=asked), *report.sections[1:]))).decode()

        assert not kinds(source) & {
            "image",
            "link_open",
            "html_inline",
            "html_block",
            "code_inline",
            "fence",
            "code_block",
        }
        assert headings(source, 1) == [" ".join(text.replace("\x07", "").replace("\x00", "").split())]


def test_a_panel_that_was_asked_nothing_says_so() -> None:
    source = markdown(empty_report()).decode()

    assert "has not been asked anything yet" in source
    assert "All answers" not in source


def test_a_question_without_replies_says_so() -> None:
    section = REPORT.sections[0]
    empty = replace(section, asked=replace(section.asked, replies=()))

    assert "There are no answers yet." in markdown(replace(REPORT, sections=(empty,))).decode()


def test_an_unfinished_report_says_so() -> None:
    assert "Export again" in markdown(replace(REPORT, partial=True)).decode()
    assert "Export again" not in SOURCE


def test_a_panel_without_a_name_has_a_heading() -> None:
    assert headings(markdown(replace(REPORT, panel=" ")).decode(), 1) == ["Panel"]
