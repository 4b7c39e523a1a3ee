"""A question's response format is what its wording says and its caller prescribes, and nothing that is guessed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.errors import BadRequest
from app.internal_api.models.asking import GivenClassification
from app.internal_api.panels.classifier import ResponseFormat, classify

OPEN = ResponseFormat("qualitative")
YES_NO = ResponseFormat("categorical", options=("Yes", "No"))
ONE_TO_FIVE, ONE_TO_TEN, ZERO_TO_TEN = (ResponseFormat("scale", scale=ends) for ends in ((1, 5), (1, 10), (0, 10)))


def one(*options: str) -> ResponseFormat:
    return ResponseFormat("categorical", options=options)


def several(*options: str, most: int | None = None) -> ResponseFormat:
    return ResponseFormat("multiselect", options=options, most=most)


def given_as(kind: str | None = None, **more: Any) -> GivenClassification:
    return GivenClassification.model_validate({"type": kind, **more})


WORDINGS: list[tuple[str, ResponseFormat]] = [
    # Of reasons.
    ("Why do you prefer Hourly or Monthly?", OPEN),
    ("And why did you give 3 on a scale of 1 to 5?", OPEN),
    ("Pourquoi Pro ou Team ?", OPEN),
    # Stated scales.
    ("How many stars from 1 to 5 would you give the gym?", ONE_TO_FIVE),
    ("Wie viele Sterne von 1 bis 5 geben Sie?", ONE_TO_FIVE),
    ("On a scale of 1 to 10, how likely are you to recommend us?", ONE_TO_TEN),
    ("On a scale from 0 (never) to 10 (always), how often do you cook?", ZERO_TO_TEN),
    ("On a scale from 10 (best) to 1 (worst), how good is the coffee?", ONE_TO_TEN),
    ("How clear is it on a 1-5 scale?", ONE_TO_FIVE),
    ("On a five-point Likert scale, how much do you agree?", ONE_TO_FIVE),
    ("On an 11-point scale, how likely is it?", ZERO_TO_TEN),
    ("On a scale where 1 is awful and 5 is great, how was it?", ONE_TO_FIVE),
    ("How satisfied are you? 1 = not at all, 5 = very", ONE_TO_FIVE),
    ("Rate this idea from 1 to 5.", ONE_TO_FIVE),
    ("How likely are you to buy this (0\u201310)?", ZERO_TO_TEN),
    ("I like my job (1-5)", ONE_TO_FIVE),
    ("Please rate the packaging out of 5", ONE_TO_FIVE),
    ("How would you rate it out of 10?", ONE_TO_TEN),
    ("-5 to 5: how do you rate the mood?", ResponseFormat("scale", scale=(-5, 5))),
    ("Using a scale of 0-100, how confident are you?", ResponseFormat("scale", scale=(0, 100))),
    ("Wie gut ist es auf einer Skala von 1 bis 5?", ONE_TO_FIVE),
    ("En una escala de 1 a 10, ¿qué tan probable es?", ONE_TO_TEN),
    ("Sur une échelle de 0 à 10, recommanderiez-vous ce produit ?", ZERO_TO_TEN),
    ("De 0 à 10, quelle est votre satisfaction ?", ZERO_TO_TEN),
    ("De 0 a 10, ¿qué satisfacción tiene?", ZERO_TO_TEN),
    # Ranges of something else.
    ("De 9 à 17, que faites-vous ?", OPEN),
    ("How many hours between 1 and 5 do you spend online?", OPEN),
    ("How likely are you to switch jobs in the next 1 to 3 years?", OPEN),
    ("How would you scale from 10 to 100 customers?", OPEN),
    ("What do nine out of ten dentists get wrong?", OPEN),
    ("Is this product 10/10?", YES_NO),
    ("Item 1 is red. Item 5 is blue. What do you see?", OPEN),
    # Listed options.
    ("Which of these do you use?\n- Email\n- Phone\n- Chat", one("Email", "Phone", "Chat")),
    ("Which tagline is best?\n1. Save time.\n2. Save money.", one("Save time", "Save money")),
    ("Which is best?\na) tea\nb) coffee", one("tea", "coffee")),
    ("Which is best: (a) tea (b) coffee (c) water?", one("tea", "coffee", "water")),
    ("Which channel do you prefer: email, phone or chat?", one("email", "phone", "chat")),
    ("Which matters most to you: longer hours, books or less noise?", one("longer hours", "books", "less noise")),
    ("Do you read two or more books a month?", one("Yes", "No")),
    ("Which plan would you choose (Basic, Pro or Max)?", one("Basic", "Pro", "Max")),
    ("Which plan would you choose? Basic, Pro, or Max.", one("Basic", "Pro", "Max")),
    ("How do you commute? (Bus, train or car)", one("Bus", "train", "car")),
    ("How many hours do you sleep: 0-5, 6-8, 9 or more?", one("0-5", "6-8", "9 or more")),
    ("What would be fair: $1,000, $2,500 or $5,000?", one("$1,000", "$2,500", "$5,000")),
    ('Which works best: "Fast, safe" or "Cheap and cheerful"?', one("Fast, safe", "Cheap and cheerful")),
    ("Which do you prefer: fish and chips, or mac and cheese?", one("fish and chips", "mac and cheese")),
    ("Which do you prefer, tea or coffee?", one("tea", "coffee")),
    ("What matters more - price or quality?", one("price", "quality")),
    ("Do you prefer email, phone or chat?", one("email", "phone", "chat")),
    ("Would you rather work from home or in the office?", one("work from home", "in the office")),
    ("Tea or coffee?", one("Tea", "coffee")),
    ("Would you buy it? Yes, no, maybe", one("Yes", "no", "maybe")),
    ("Was bevorzugen Sie: Tee, Kaffee oder Wasser?", one("Tee", "Kaffee", "Wasser")),
    ("¿Qué prefiere, té o café?", one("té", "café")),
    ("Préférez-vous le thé ou le café ?", one("le thé", "le café")),
    # Several of them.
    ("Select all that apply: tea, coffee, water", several("tea", "coffee", "water")),
    ("Pick two: red, green and blue", several("red", "green", "blue", most=2)),
    ("Which would you use (pick up to 3)? A, B, C, D", several("A", "B", "C", "D", most=3)),
    ("What are your top 3: price, speed, quality or support?", several("price", "speed", "quality", "support", most=3)),
    ("Pick up to 9: A, B, C", several("A", "B", "C")),
    ("Which colours (max. 2)? red, green, blue", several("red", "green", "blue", most=2)),
    ("Pick exactly two: red, green, blue", several("red", "green", "blue", most=2)),
    ("Pick one or two: red, green, blue", several("red", "green", "blue", most=2)),
    ("Pick a maximum of two: red, green, blue", several("red", "green", "blue", most=2)),
    ("Wähle höchstens zwei: rot, grün, blau", several("rot", "grün", "blau", most=2)),
    ("Elige un máximo de dos: rojo, verde, azul", several("rojo", "verde", "azul", most=2)),
    ("Choisissez au maximum 2 options : rouge, vert, bleu", several("rouge", "vert", "bleu", most=2)),
    ("Which of these do your two children eat: rice, soup, fish?", one("rice", "soup", "fish")),
    ("What are your two favourites: red, green, blue?", several("red", "green", "blue", most=2)),
    ("Wählen Sie bis zu zwei: Suche, Export, Druck", several("Suche", "Export", "Druck", most=2)),
    ("Elija hasta dos: rojo, verde, azul", several("rojo", "verde", "azul", most=2)),
    ("Choisissez jusqu'à deux options : rouge, vert, bleu", several("rouge", "vert", "bleu", most=2)),
    ("Choisissez-en 2 au plus : rouge, vert, bleu", several("rouge", "vert", "bleu", most=2)),
    ("Cochez tout ce qui s'applique : rouge, vert, bleu", several("rouge", "vert", "bleu")),
    ("Choisissez toutes les réponses qui conviennent : rouge, vert, bleu", several("rouge", "vert", "bleu")),
    ("Was nutzen Sie? Kreuzen Sie alle an: Suche, Export, Druck", several("Suche", "Export", "Druck")),
    ("Was nutzen Sie? Bitte alles Zutreffende ankreuzen: Suche, Export, Druck", several("Suche", "Export", "Druck")),
    ("¿Qué colores? Marque todo lo que corresponda: rojo, verde, azul", several("rojo", "verde", "azul")),
    ("¿Qué colores? Puede elegir varias: rojo, verde, azul", several("rojo", "verde", "azul")),
    ("Comment payez-vous : par carte / en espèces ?", one("par carte", "en espèces")),
    ("¿Cómo paga: en efectivo, con tarjeta o con el móvil?", one("en efectivo", "con tarjeta", "con el móvil")),
    ("Quand lisez-vous : le matin, à midi ou le soir ?", one("le matin", "à midi", "le soir")),
    (
        "Wohin gehen Sie: in den Chat, ans Telefon oder in die Filiale?",
        one("in den Chat", "ans Telefon", "in die Filiale"),
    ),
    # Lists that offer nothing, and alternatives whose beginning is not marked.
    ("We sell tea, coffee and cake. What do you think?", OPEN),
    ("Context: we sell tea, coffee and cake. What do you think?", OPEN),
    ("What do you eat for breakfast, lunch or dinner?", OPEN),
    ("How do you decide between price and quality?", OPEN),
    ("Is it cheap or dear?", OPEN),
    ("Should we launch in spring, summer or autumn?", OPEN),
    ("Do you like it (yes/no/unsure)?", OPEN),
    # Yes and no.
    ("Would you pay $15/month for this? Why or why not?", YES_NO),
    ("If it cost $5, would you buy it?", YES_NO),
    ("Imagine you see this ad. Would you click it?", YES_NO),
    ("Will you vote or not?", YES_NO),
    ("Is it worth $20, yes or no?", YES_NO),
    ("Quick question: do you own a bike?", YES_NO),
    ("Würden Sie uns weiterempfehlen?", one("Ja", "Nein")),
    ("¿Compraría este producto?", one("Sí", "No")),
    ("Est-ce que vous fumez ?", one("Oui", "Non")),
    ("Achèteriez-vous ceci ?", one("Oui", "Non")),
    # Everything else is open.
    ("How satisfied are you with the onboarding?", OPEN),
    ("Why did you leave?", OPEN),
    ("Can you describe your morning?", OPEN),
    ("Do you have any suggestions?", OPEN),
    ("What should we improve? Would you tell a friend?", OPEN),
    ("Was fehlt Ihnen?", OPEN),
    ("¿Qué mejoraría?", OPEN),
    ("Pourquoi achetez-vous en ligne ?", OPEN),
    ("Tell us about your day.", OPEN),
    ("", OPEN),
]

PRESCRIBED: list[tuple[str, GivenClassification, ResponseFormat]] = [
    ("Which do you eat? Pick all that apply.", given_as(options=["rice", "soup"]), several("rice", "soup")),
    ("How good is it (1-5)?", given_as("qualitative"), OPEN),
    ("On a scale from 5 to 5, how good is it?", given_as("qualitative"), OPEN),
    ("What do you think?", given_as("scale"), ONE_TO_TEN),
    ("How good is it (1-5)?", given_as("scale"), ONE_TO_FIVE),
    ("Anything", given_as(scale_range=[1, 5.0]), ONE_TO_FIVE),
    ("On a scale from 5 to 5, how good is it?", given_as(scale_range=(0, 10)), ZERO_TO_TEN),
    ("Anything", given_as(options=(" A ", "a", "B")), one("A", "B")),
    ("Pick up to 2", given_as(options=("A", "B", "C")), several("A", "B", "C", most=2)),
    ("Anything", given_as(options=("A", "B", "C"), most=2), several("A", "B", "C", most=2)),
    ("Pick up to 2: A, B, C", given_as("multiselect", most=1), several("A", "B", "C", most=1)),
    ("Pick up to 2: A, B, C", given_as("categorical"), one("A", "B", "C")),
    ("Do you like it?", given_as("categorical"), YES_NO),
]

REFUSED: list[tuple[str, GivenClassification, str]] = [
    ("On a scale from 5 to 5, how good is it?", given_as(), "INVALID_SCALE"),
    ("On a scale of 1 to 1000, how good is it?", given_as(), "INVALID_SCALE"),
    ("On a scale from 1.5 to 4, how good is it?", given_as(), "INVALID_SCALE"),
    *(("Why?", given_as(scale_range=ends), "INVALID_SCALE") for ends in ([], [1], [1, 2, 3], [5, 1], [1, 1.5])),
    ("Why?", given_as(scale_range=(1, 5), options=("A", "B")), "INVALID_CLASSIFICATION"),
    ("Why?", given_as("qualitative", scale_range=(1, 5)), "INVALID_CLASSIFICATION"),
    ("Why?", given_as("scale", options=("A", "B")), "INVALID_CLASSIFICATION"),
    ("Why?", given_as("categorical", most=1), "INVALID_CLASSIFICATION"),
    ("Why?", given_as(scale_range=(1, 5), most=1), "INVALID_CLASSIFICATION"),
    ("Why?", given_as(most=0), "INVALID_CLASSIFICATION"),
    ("Why?", given_as("categorical"), "INVALID_OPTIONS"),
    *(
        ("Why?", given_as(options=options), "INVALID_OPTIONS")
        for options in (["A"], ["A", "a "], ["A", " "], ["A", "x" * 201], ["A", "B; C"], [*map(str, range(51))])
    ),
]


@pytest.mark.parametrize(("text", "expected"), WORDINGS)
def test_the_wording_decides_where_nothing_is_prescribed(text: str, expected: ResponseFormat) -> None:
    assert classify(text) == expected


@pytest.mark.parametrize(("text", "prescribed", "expected"), PRESCRIBED)
def test_what_is_prescribed_wins_and_the_wording_gives_the_rest(
    text: str, prescribed: GivenClassification, expected: ResponseFormat
) -> None:
    assert classify(text, prescribed) == expected


@pytest.mark.parametrize(("text", "prescribed", "code"), REFUSED)
def test_a_contradiction_is_refused_with_its_code_and_what_to_do(
    text: str, prescribed: GivenClassification, code: str
) -> None:
    with pytest.raises(BadRequest) as refused:
        classify(text, prescribed)

    assert refused.value.data == {"code": code}
    assert refused.value.message


PIECES = (
    "how likely rate it scale a the of from 1 5 10 - = , ; : ? . ! ( ) / or which pick up 3 all that apply yes no a)"
    ' would you prefer out " is why 1. ¿ Würden Sie oder «'
)


@given(st.text(max_size=300) | st.lists(st.sampled_from([*PIECES.split(), "\n- ", "\n"]), max_size=40).map(" ".join))
def test_any_text_has_a_format_whose_options_it_contains(text: str) -> None:
    try:
        found = classify(text)
    except BadRequest as refused:
        assert refused.data == {"code": "INVALID_SCALE"}  # noqa: PT017 - most texts raise nothing
        return

    assert (found.scale is not None) == (found.type == "scale")
    assert bool(found.options) == (found.type in {"categorical", "multiselect"})
    assert found.options in {("Yes", "No"), ("Ja", "Nein"), ("Sí", "No"), ("Oui", "Non")} or all(
        option in text for option in found.options
    )
