"""RTF as word processors write it."""

from app.internal_api.knowledge.extractors.rtf import extract_rtf

LETTER = r"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Helvetica;}}{\colortbl;\red255\green0\blue0;}
{\*\generator Word 16;}{\info{\title Secret}}\pard\f0\fs24 Rye {\b dough} is sticky\'85\par
Br\u246?tchen cost 3\~\u8364\'80 \{each\}\line and \ldblquote more\rdblquote .\par \u-10179?\u-9030?
{\pict\pngblip 89504e470d0a}}"""


def test_the_text_is_read_and_the_machinery_is_not() -> None:
    (said,) = extract_rtf(LETTER.encode(), None).parts

    assert said.split("\n\n")[0] == "Rye dough is sticky…"
    assert "Brötchen cost 3 € {each}\nand “more”." in said
    assert "💺" in said
    assert not any(word in said for word in ("Helvetica", "Word", "Secret", "8950", "\\"))


def test_unbalanced_braces_are_survived() -> None:
    assert extract_rtf(rb"{\rtf1 Rye}}}} and {{{wheat", None).parts == ("Rye and wheat",)
