"""The shape of a yes/no question."""

import pytest

from app.internal_api.panels.understanding.reading import read
from app.internal_api.panels.understanding.shapes import BE, CAN, DO, HAVE, shape_of


@pytest.mark.parametrize(
    ("text", "kind", "person", "rest"),
    [
        ("Do you drink tea?", DO, True, "drink tea?"),
        ("Do you usually drink tea?", DO, True, "drink tea?"),
        ("If thirsty, would you drink tea?", DO, True, "drink tea?"),
        ("Are you planning to drink tea?", DO, True, "drink tea?"),
        ("Is the tea hot?", BE, False, "the tea hot?"),
        ("Is it hot?", BE, False, "hot?"),
        ("Would you say the tea is hot?", BE, False, "hot?"),
        ("Do you think the tea will boil?", DO, False, "boil?"),
        ("Have you drunk tea?", HAVE, True, "drunk tea?"),
        ("Can you drink tea?", CAN, True, "drink tea?"),
        ("Trinken Sie meistens Tee?", DO, True, "tee?"),
        ("Ist der Tee heiß?", BE, False, "der tee heiß?"),
        ("Finden Sie den Tee gut?", BE, False, "den tee gut?"),
        ("¿Bebe té?", DO, True, "te?"),
        ("¿El té está caliente?", BE, False, "caliente?"),
        ("¿Ha bebido té?", HAVE, True, "bebido te?"),
        ("Buvez-vous du thé ?", DO, True, "du the ?"),
        ("Le thé est-il chaud ?", BE, False, "chaud ?"),
        ("Est-ce que vous buvez du thé ?", DO, True, "du the ?"),
    ],
)
def test_what_follows_verb_and_subject_is_told_from_them(text: str, kind: str, person: bool, rest: str) -> None:
    reading = read(text)

    shape = shape_of(reading.sentences[0].text, reading.language)

    assert shape is not None
    assert (shape.kind, shape.person, reading.masked[shape.rest :]) == (kind, person, rest)


@pytest.mark.parametrize(
    "text", ["What is hot?", "Tea?", "Tea or ale?", "Was trinken Sie?", "¿Qué bebe?", "Que buvez-vous ?"]
)
def test_other_questions_do_not_have_the_shape(text: str) -> None:
    reading = read(text)

    assert shape_of(reading.sentences[0].text, reading.language) is None


def test_a_helping_verb_leads_to_the_deed() -> None:
    leading, bare = shape_of("do you drink?", "en"), shape_of("trinken sie tee?", "de")

    assert leading is not None
    assert leading.leads_to_deed
    assert bare is not None
    assert not bare.leads_to_deed
