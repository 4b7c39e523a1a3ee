"""Survey questions: an answer where a sentence states it, and an abstention everywhere else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import ABSTENTIONS, EngineUnavailable, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.engines.extractive.survey import answer_survey
from app.internal_api.engines.snippets import one_line
from app.internal_api.knowledge.documents import Passage
from tests.app.internal_api.engines.people import ADA, passage
from tests.app.internal_api.engines.texts import BICYCLES, ESPRESSO, passages_of

RECOMMEND = SurveyQuestion("How likely are you to recommend the hire service to a friend?", "scale", scale=(1, 10))
BURGER = SurveyQuestion("Would you buy a vegan burger?", "categorical", options=("Yes", "No"))
MATTERS = SurveyQuestion(
    "Which of these matters most to you when you hire a bicycle?", "categorical", options=("Price", "Safety")
)
IMPROVE = SurveyQuestion(
    "What should the hire service improve?", "multiselect", options=("locks", "batteries", "app"), most=2
)
RIDE = SurveyQuestion("Which do you prefer: bus, tram or bike?", "categorical", options=("bus", "tram", "bike"))
CAR = SurveyQuestion("Do you have a car? Yes or no?", "categorical", options=("Yes", "no"))
CLOSE = SurveyQuestion("Should the spa close on Sundays?", "categorical", options=("Yes", "No"))
LIKES = SurveyQuestion("¿Le gusta la piscina?", "categorical", options=("Sí", "No"))
AIMEZ = SurveyQuestion("Aimez-vous la piscine ?", "categorical", options=("Oui", "Non"))
TRAIN = SurveyQuestion("On a scale of 1 to 10, how do you rate the night train?", "scale", scale=(1, 10))
THERME = SurveyQuestion("Wie bewerten Sie die Therme auf einer Skala von 1 bis 10?", "scale", scale=(1, 10))
PISCINE = SurveyQuestion("Sur une échelle de 1 à 10, comment notez-vous la piscine ?", "scale", scale=(1, 10))
MUSEO = SurveyQuestion("En una escala de 1 a 10, ¿cómo valora el museo?", "scale", scale=(1, 10))
USE = SurveyQuestion(
    "Which of these do you use? Pick all that apply: bus, tram, bicycle",
    "multiselect",
    options=("bus", "tram", "bicycle"),
)
NUTZEN = SurveyQuestion(
    "Welche Verkehrsmittel nutzen Sie? Wählen Sie alle zutreffenden: Bus, Tram", "multiselect", options=("Bus", "Tram")
)
HALL = SurveyQuestion(
    "Which services do you use at the town hall? Multiple answers possible: counter, car park",
    "multiselect",
    options=("counter", "car park"),
)
DIENSTE = SurveyQuestion(
    "Welche Dienste nutzen Sie im Rathaus? Mehrfachnennungen möglich: Schalter, Kita",
    "multiselect",
    options=("Schalter", "Kita"),
)
MAIRIE = SurveyQuestion(
    "Quels services utilisez-vous à la mairie ? Plusieurs réponses possibles : guichet, parking",
    "multiselect",
    options=("guichet", "parking"),
)
USA = SurveyQuestion(
    "¿Cuáles usa? Varias respuestas posibles: archivo, ventanilla", "multiselect", options=("archivo", "ventanilla")
)
PREFIERE = SurveyQuestion("¿Qué prefiere: bus o tren?", "categorical", options=("bus", "tren"))
PREFEREZ = SurveyQuestion("Que préférez-vous : bus ou bac ?", "categorical", options=("bus", "bac"))
LIEBSTEN = SurveyQuestion("Was mögen Sie am liebsten: Romane oder Dramen?", "categorical", options=("Romane", "Dramen"))
ACTIVE = SurveyQuestion("Avez-vous activé la carte ?", "categorical", options=("Oui", "Non"))
ACTIVADO = SurveyQuestion("¿Ha activado el acceso?", "categorical", options=("Sí", "No"))
PRENEZ = SurveyQuestion("Prenez-vous le bac ?", "categorical", options=("Oui", "Non"))
DRINK = SurveyQuestion("Which drink do you choose at lunch: tea or juice?", "categorical", options=("tea", "juice"))
OPEN = SurveyQuestion("What do you think of the burr grinder?", "qualitative")


def answered(question: SurveyQuestion, *texts: str) -> SurveyAnswer:
    return answer_survey("offline", question, [passage(text) for text in texts])


def value_of(question: SurveyQuestion, text: str) -> str:
    try:
        return answered(question, text).value
    except EngineUnavailable:
        return ""


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (RECOMMEND, "I would recommend the hire service to a friend: 8 out of 10.", "8"),
        (RECOMMEND, "My answer on recommending the hire service to a friend is nine out of ten.", "9"),
        (RECOMMEND, "My friends ask. I recommend this hire service to every friend, 10 out of 10!", "10"),
        (RECOMMEND, "I do not recommend the hire service to a friend: 2 out of 10.", "2"),
        (BURGER, "Yes, I would buy a vegan burger.", "Yes"),
        (BURGER, "No, I would buy a steak before a vegan burger.", "No"),
        (MATTERS, "When I hire a bicycle, safety matters most to me.", "Safety"),
        (IMPROVE, "The hire service should improve its locks and the app.", "locks; app"),
        (RIDE, "I prefer the bike.", "bike"),
        (RIDE, "The tram is my favourite.", "tram"),
    ],
)
def test_an_answer_that_a_sentence_states_is_given_and_quoted(question: SurveyQuestion, text: str, value: str) -> None:
    said = answered(question, "I like tea.", text)

    assert (said.value, said.raw_value) == (value, value)
    assert said.message in text
    assert said.citations == (passage(text),)
    assert (said.origin, said.chunks_found) == ("mind_knowledge", 2)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (RECOMMEND, []),
        (RECOMMEND, ["I recommend the hire service to every friend."]),
        (RECOMMEND, ["I recommend the hire service to 8 friends of 10."]),
        (RECOMMEND, ["I recommend the hire service to a friend, and 8 out of 10 people do."]),
        (RECOMMEND, ["I recommend the hire service to a friend: 4 out of 5."]),
        (RECOMMEND, ["I recommend the hire service to a friend: 11 out of 10."]),
        (RECOMMEND, ["I do not recommend the hire service to a friend: 8 out of 10."]),
        (RECOMMEND, ["I recommend the tea room: 8 out of 10."]),
        (RECOMMEND, ["I might recommend the hire service to a friend: 8 out of 10."]),
        (RECOMMEND, ["I recommend the other hire service to a friend: 8 out of 10."]),
        (RECOMMEND, ["I recommend most hire services to a friend: 8 out of 10."]),
        (RECOMMEND, ["I recommend the hire service to a friend: below 8 out of 10."]),
        (RECOMMEND, ["Give 10 out of 10 when you recommend the hire service to a friend."]),
        (RIDE, ["The bus stops here.", "I may prefer the bus.", "My mother prefers the tram."]),
        (BURGER, ["I have been a vegan for ten years and love every burger."]),
        (BURGER, ["Would you buy a vegan burger? Yes."]),
        (BURGER, ["Yes, I would never buy a vegan burger."]),
        (BURGER, ["Yes, if it were free I would buy a vegan burger."]),
        (replace(BURGER, text="Do you like a vegan burger?"), ["Yes, I sell a vegan burger."]),
        (MATTERS, ["When I hire a bicycle, safety matters less."]),
        (MATTERS, ["Safety matters most to me."]),
        (MATTERS, ["When I hire a bicycle, the saddle matters most."]),
        (replace(MATTERS, text="Price or safety?"), ["Safety."]),
        (replace(BURGER, context="Yes, I would buy a vegan burger."), []),
        (OPEN, ["The grinder is loud."]),
        (OPEN, []),
    ],
)
def test_everything_else_is_an_abstention(question: SurveyQuestion, texts: list[str]) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        answered(question, *texts)

    assert raised.value.kind in ABSTENTIONS
    assert not raised.value.retryable


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (RECOMMEND, ["How I rate the hire service when I recommend it to a friend: 7 or 8 out of 10."]),
        (RECOMMEND, [f"I recommend the hire service to a friend: {number} out of 10." for number in (2, 9)]),
        (MATTERS, ["When I hire a bicycle, price matters, and safety matters."]),
        (IMPROVE, ["The hire service should improve its locks, batteries and app."]),
    ],
)
def test_several_answers_are_quoted_without_a_value_for_a_person_to_read(
    question: SurveyQuestion, texts: list[str]
) -> None:
    said = answered(question, *texts)

    assert (said.value, said.message) == ("", "\n\n".join(texts))
    assert said.citations == tuple(passage(text) for text in texts)


@pytest.mark.parametrize(
    ("question", "text", "kind"),
    [
        (RECOMMEND, "I recommend the hire service to every friend.", "unstated"),
        (RECOMMEND, "I recommend the tea room: 8 out of 10.", "unsupported"),
        (OPEN, "The weather is fine.", "unsupported"),
    ],
)
def test_an_abstention_tells_what_is_not_stated_from_what_is_not_known(
    question: SurveyQuestion, text: str, kind: str
) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        answered(question, text)

    assert raised.value.kind == kind


FUTURE = SurveyQuestion("What worries you most about the future of your town?", "qualitative")


@pytest.mark.parametrize(
    "text",
    [
        "What worries her most about the future of her town is that the only hospital will close.",
        "He says that nothing about the future of his town worries him.",
        "My biggest worry about the future of our town is the rent.",
        "The town's future worries him, as the mill closes.",
    ],
)
def test_an_open_question_is_answered_by_one_sentence_of_the_persona(text: str) -> None:
    assert text in answered(FUTURE, f"She keeps bees. {text}").message


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("What do you think of the new library?", "She works in the new library.", False),
        ("What do you think of the new library?", "He finds the new library too loud.", True),
        ("What do you think of the pool?", "I do not like the pool.", True),
        ("What do you think of the pool?", "I can't stand the pool.", True),
        ("What do you think of the pool?", "I am not in the pool.", False),
        ("What do you like about your neighbourhood?", "She delivers papers in the neighbourhood.", False),
        ("What do you like about your neighbourhood?", "She loves her neighbourhood for its parks.", True),
        ("Was gefällt dir an der Stadt?", "Er wohnt seit Jahren in der Stadt.", False),
        ("Was gefällt Ihnen an der Stadt?", "Mir gefällt die Stadt wegen der Parks.", True),
        ("What do you think of the pool?", "I never think of the pool.", False),
        ("What do you like about the pool?", "I hate the pool café.", False),
        ("What do you like about the pool?", "The pool should open on Mondays.", False),
        ("What do you like about the pool?", "The pool looks like a box.", False),
        ("What do you dislike about the pool?", "I hate the pool café.", True),
        ("What annoys you about the pool?", "The pool is too cold.", True),
        ("What annoys you about the pool?", "The pool isn't too cold.", False),
        ("How would you improve the pool?", "The pool should open on Mondays.", True),
        ("What should the pool change?", "The pool needs better signs.", True),
        ("What would you change about the pool?", "I want to swim in the pool.", False),
        ("What would make the pool better for you?", "I want the pool to be free for children.", True),
        ("What would make the pool better for you?", "I would have given the pool 9 out of 10.", False),
        ("What would make the pool better for you?", "I like the pool.", False),
        ("What would make the town pool better for you?", "The pool should improve its lockers.", True),
        ("What would make the town pool better for you?", "The school pool should improve its lockers.", False),
        ("What would make the pool better for you?", "I do not recommend the pool to who needs quiet.", False),
        ("What would make the pool better for you?", "The guide said the pool needs money.", False),
        ("What do you think of the pool?", "The pool is wonderful.", True),
        ("What do you think of the pool?", "The pool is an eyesore.", True),
        ("What do you think of the pool?", "In my opinion the pool needs a slide.", True),
        ("What do you think of the pool?", "I hate the pool.", True),
        ("What do you think of the pool?", "Tourists find the pool charming.", False),
        ("What do you think of the pool?", "The magazine finds the pool confusing.", False),
        ("What do you think of the pool?", "I know a woman who loves the pool.", False),
        ("What do you think of the pool?", "I like the man who cleans the pool.", False),
        ("What do you think of the pool?", "I think the pool was built in 1960.", False),
        ("What do you think of the pool?", "I believe the pool has 3 slides.", False),
        ("What do you think of the pool?", "I think of buying the pool.", False),
        ("What do you think of the pool?", "I was asked what I think about the pool.", False),
        ("What do you think of the pool?", "I prefer not to talk about the pool.", False),
        ("How do you feel about the pool?", "I find the pool gloomy.", True),
        ("What do you think of the pool?", "The pool looks like a box.", True),
        ("What do you think of the pool?", "The pool leaves me cold.", True),
        ("What do you think of the pool?", "The pool is fair.", True),
        ("What do you think of the pool?", "I think about the pool every day.", False),
        ("What do you think of pools?", "What I think about pools is that each is too small.", True),
        ("What do you think of the pool?", "I think the pool is shown on the stamps.", False),
        ("What do you think of the pool?", "I think that the pool cost 40,000 euros.", False),
        ("What do you think of the pool?", "I am not allowed to say what I think of the pool.", False),
        ("What do you think of the price of the coffee?", "I think the price of the coffee is fair.", True),
        ("How do you feel about the parking fee?", "I find the parking fee too high.", True),
        ("What annoys you about the pay?", "What annoys me about the pay is that it comes late.", True),
        ("What is your view of the costs of the course?", "I think the costs of the course are unjust.", True),
        ("What do you think of the price of the coffee?", "The price of the coffee is 3 euros.", False),
        ("What is the price of the coffee?", "I think the price of the coffee is fair.", False),
        ("Was halten Sie von der Seilbahn?", "Ich mag die Seilbahn.", True),
        ("Was denken Sie über die Seilbahn?", "Meiner Meinung nach ist die Seilbahn zu teuer.", True),
        ("Was halten Sie von der Seilbahn?", "Die Seilbahn hat 40 Kabinen.", False),
        ("Was halten Sie von der Seilbahn?", "Mein Onkel mag die Seilbahn.", False),
        ("Que pensez-vous du bac ?", "J'adore le bac.", True),
        ("Que pensez-vous du bac ?", "Je pense que le bac est trop lent.", True),
        ("Que pensez-vous du bac ?", "Les touristes adorent le bac.", False),
        ("¿Qué piensa del teleférico?", "No me gusta el teleférico.", True),
        ("¿Qué piensa del teleférico?", "A mi tía le parece feo el teleférico.", False),
        ("What would make the pool better for you?", 'It asks: "Should the pool be warm?" I threw it away.', False),
    ],
)
def test_who_tells_no_view_of_what_is_asked_has_none(question: str, text: str, answers: bool) -> None:
    asked = SurveyQuestion(question, "qualitative")
    try:
        assert bool(answered(asked, text).message) is answers
    except EngineUnavailable:
        assert not answers


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("I grow tomatoes. I find the pool too cold. I love gardening.", "I find the pool too cold."),
        ("I find the pool too cold. It is a waste. My hobby is tea.", "I find the pool too cold. It is a waste."),
        ("I like the pool. I grow tomatoes. But I hate the pool.", "I like the pool.\n\nBut I hate the pool."),
    ],
)
def test_of_a_text_only_the_sentences_that_answer_an_open_question_are_quoted(text: str, quoted: str) -> None:
    assert answered(SurveyQuestion("What do you think of the pool?", "qualitative"), text).message == quoted


@pytest.mark.parametrize(
    "text",
    [
        "Chiara is a hairdresser. Her mother worries about the future of their town.",
        "My neighbour worries about the future of our town.",
        "Sam's boss worries about the future of the town.",
        "Lea van der Berg's boss worries about the future of the town; she has never said what she makes of it.",
        "He is married to a nurse whose father worries about the future of the town.",
        "They say the future of the town worries everyone.",
        "She used to worry about the future of her town.",
        "He worries about his back. In the future he wants to live in another town.",
        "What worries him about the future of his town?",
    ],
)
def test_what_others_think_or_several_sentences_only_touch_is_no_answer(text: str) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        answered(FUTURE, text)

    assert raised.value.kind in ABSTENTIONS


async def test_an_open_question_is_answered_with_quotations_and_without_labels() -> None:
    known = passages_of(ESPRESSO, "Espresso guide")

    said = await ExtractiveEngine().survey(ADA, OPEN, known)
    brief = await ExtractiveEngine().survey(ADA, replace(OPEN, response_form="concise"), known)

    assert "A burr grinder is worth its price" in said.message
    assert (said.value, said.engine) == ("", "offline")
    assert said.citations[0].heading == "Grind size"
    assert len(brief.citations) == 1


def test_an_open_question_may_go_on_from_an_earlier_one() -> None:
    earlier = (Turn("user", "Is a burr grinder worth its price?"), Turn("assistant", "Yes."))

    said = answered(SurveyQuestion("And why?", "qualitative", earlier=earlier), ESPRESSO)

    assert "burr grinder is worth its price" in said.message


QUESTIONS = st.sampled_from([RECOMMEND, BURGER, MATTERS, IMPROVE, OPEN]) | st.builds(
    SurveyQuestion,
    st.text(max_size=80),
    st.sampled_from(["categorical", "multiselect"]),
    options=st.lists(st.text(min_size=1, max_size=12).filter(str.strip), min_size=2, max_size=5, unique=True).map(
        tuple
    ),
)
TEXTS = st.lists(st.text(max_size=150) | st.sampled_from([BICYCLES, "8 out of 10.", "Yes. No."]), max_size=3)


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (BURGER, "I'd buy a vegan burger.", "Yes"),
        (BURGER, "I would definitely not buy a vegan burger.", "No"),
        (BURGER, "No, I wouldn't buy a vegan burger.", "No"),
        (BURGER, "No, I would not buy a vegan burger, it is dear.", "No"),
        (BURGER, "Yes, I would buy a vegan burger, it is not dear.", "Yes"),
        (BURGER, "No. I would not buy a vegan burger.", "No"),
        (BURGER, "No, I would buy a vegan burger.", ""),
        (BURGER, "I would not only buy a vegan burger.", ""),
        (BURGER, "I would not buy a vegan burger for my children.", ""),
        (BURGER, "My wife would not buy a vegan burger.", ""),
        (BURGER, "I bought a vegan burger.", ""),
        (replace(BURGER, text="Wouldn't you buy a vegan burger?"), "I would buy a vegan burger.", ""),
        (CAR, "I have a car.", "Yes"),
        (CAR, "I have no car.", "no"),
        (CAR, "I like no car.", ""),
        (CAR, "I have no car park.", ""),
        (CLOSE, "In my opinion the spa should close on Sundays.", "Yes"),
        (CLOSE, "The spa shouldn't close on Sundays.", "No"),
        (LIKES, "No me gusta la piscina.", "No"),
        (LIKES, "Sí, me gusta la piscina.", "Sí"),
        (AIMEZ, "Je n'aime pas la piscine.", "Non"),
        (AIMEZ, "J'aimais la piscine.", ""),
    ],
)
def test_yes_and_no_are_read_alike(question: SurveyQuestion, text: str, value: str) -> None:
    assert value_of(question, text) == value


@pytest.mark.parametrize(
    "text",
    [
        "I rate the day train 8 out of 10, unlike the night train.",
        "I rate the view from the night train 10 out of 10.",
        "I rate the value of the night train 9 out of 10.",
        "I rate the night train 8 out of 10. That was in 2015; today it would be a 3.",
        "I rate the night train 8 out of 10. Actually 6.",
        "I rate the night train 8 out of 10. This sentence is an example from the form.",
        "I rate the night train 8 out of 10, where 1 is the best.",
        "I rate the night train 8 out of 10 at best.",
        "You rate the night train 8 out of 10.",
        "We rate the night train 8 out of 10, except me.",
        "I rate the night train 8 out of 10, as long as Maria cooks.",
        "I rate the night train 8 out of 10, assuming the bed is soft.",
        "I rate the night train 8 out of 10, which is a lie.",
        "I rate the night train 8 out of 10, joking of course.",
        "I rate the night train 8 out of 10. My wife said so.",
        "I rate the night train 8 out of 10. That is what the poster says.",
        "I rate the night train 8 out of 10. I was young then.",
        "I rate the night train 8 out of 10. Or not.",
        "I rate the night train 8 out of 10. That's not true.",
        "I rate the night train 8 out of 10. Or so they say.",
        "I rate the night train 8 out of 10. Unless it is Friday.",
        "I rate the night train 8 out of 10, it is a lie.",
        "I rate the night train 8 out of 10; not.",
    ],
)
def test_a_figure_of_something_else_or_one_that_is_taken_back_is_none(text: str) -> None:
    assert value_of(TRAIN, text) == ""


def test_what_is_stated_after_something_else_was_taken_back_counts() -> None:
    assert value_of(TRAIN, "I rate the night train 8 out of 10. Today I rate the night train 4 out of 10.") == "4"
    assert value_of(TRAIN, "I rate the night train 8 out of 10. It has nice beds.") == "8"
    assert value_of(RIDE, "I prefer the tram. Sorry, I meant the bus.") == ""


TRAM = SurveyQuestion("Do you use the tram?", "categorical", options=("Yes", "No"))


@pytest.mark.parametrize(
    "after",
    [
        "Not true, I walk.",
        "Gave it up in May.",
        "I gave it up in May.",
        "In my dreams.",
        "In my dreams",
        "Used to, that is.",
        "So claims my wife, wrongly.",
        "Or so I thought.",
        "Or did, until last week.",
        "Well, the bus, actually.",
        "I mean, my wife does.",
        "My wife says so.",
        "I stopped last year.",
        "I did until March.",
        "Back in 2019.",
        "When it rains.",
        "The bus too.",
        "The bus as well.",
    ],
)
def test_a_statement_does_not_count_where_what_follows_it_does_not_stand_by_itself(after: str) -> None:
    assert value_of(TRAM, f"I use the tram. {after}") == ""


@pytest.mark.parametrize(
    "after",
    [
        "My wife uses the car.",
        "My wife does not.",
        "It stops at my door.",
        "Because it is quick.",
        "I like nuts and fruit.",
        "At lunch I choose water.",
        "In the morning my dog and I go to the river.",
        "Gardening keeps me sane.",
        "Sundays should stay quiet, so the pool should not open.",
        "My hobby is gardening; my tomatoes won a prize.",
        "Punctuality is important to me: 90 out of 100.",
        "\n\nHobbies\n\nIn my garden there are tomatoes.",
        "\nJob: nurse\nTown: Leeds",
    ],
)
def test_a_statement_counts_where_what_follows_it_stands_by_itself(after: str) -> None:
    assert value_of(TRAM, f"I use the tram. {after}") == "Yes"


@pytest.mark.parametrize(
    ("question", "said", "taken_back", "others"),
    [
        (
            THERME,
            "Ich bewerte die Therme mit 9 von 10.",
            (
                "Kleiner Scherz.",
                "Quatsch, 3.",
                "Ich meinte die Sauna.",
                "Behauptet mein Mann.",
                "Besser gesagt: 5 von 10.",
                "Gelogen.",
            ),
            (
                "Mein Mann fährt Rad.",
                "Mittags wähle ich Kaffee.",
                "Die neuen Stühle sind bequem.",
                "Das Bad sollte sonntags öffnen.",
            ),
        ),
        (
            PREFEREZ,
            "Je préfère le bac.",
            ("Enfin non, le bus.", "Ou plutôt le bus.", "Plus maintenant.", "J'ai arrêté en mai."),
            ("Ma femme prend la voiture.", "À midi, je choisis du café.", "Les horaires me conviennent."),
        ),
        (
            USA,
            "Uso el archivo.",
            ("Lo dejé en mayo.", "Eso dice mi médico.", "También la ventanilla.", "Quiero decir la ventanilla."),
            ("Compro siempre el abono.", "Mi mujer practica tenis.", "Al mediodía elijo agua."),
        ),
    ],
)
def test_what_takes_a_statement_back_is_told_from_another_sentence_in_other_languages(
    question: SurveyQuestion, said: str, taken_back: tuple[str, ...], others: tuple[str, ...]
) -> None:
    assert not [after for after in taken_back if value_of(question, f"{said} {after}")]
    assert not [after for after in others if not value_of(question, f"{said} {after}")]


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (TRAIN, "I rate the night train 8 out of 10 because the beds are wide.", "8"),
        (TRAIN, "I rate the night train 8 out of 10, it has nice beds.", "8"),
        (TRAIN, "I rate the night train 8 out of 10; my brother rates it 3.", "8"),
        (THERME, "Ich bewerte die Therme mit 9 von 10, weil das Wasser warm ist.", "9"),
        (THERME, "Ich bewerte die Therme mit 9 von 10, sofern Maria da ist.", ""),
        (THERME, "Ich bewerte die Therme mit 9 von 10, meint mein Chef.", ""),
        (THERME, "Ich bewerte die Therme mit 9 von 10. Stimmt nicht.", ""),
        (PISCINE, "Je note la piscine 7 sur 10, car l'eau est chaude.", "7"),
        (PISCINE, "Je note la piscine 9 sur 10, à condition que l'eau soit chaude.", ""),
        (PISCINE, "Je note la piscine 9 sur 10, je plaisante.", ""),
        (MUSEO, "Valoro el museo con un 9 sobre 10, siempre que abra Maria.", ""),
        (MUSEO, "Valoro el museo con un 9 sobre 10, es broma.", ""),
        (RIDE, "I prefer the tram because the bus is slow.", "tram"),
        (RIDE, "I prefer the tram as long as it rains.", ""),
        (RIDE, "I prefer the tram just as much as the bus.", ""),
        (RIDE, "I prefer the bus. I take that back: the tram.", ""),
        (USE, "I use the tram; the bus makes me ill.", ""),
        (USE, "I use the tram, since the bus makes me ill.", "tram"),
        (USE, "I use: bus; tram.", "bus; tram"),
        (BURGER, "Yes, I would buy a vegan burger, as long as Maria cooks.", ""),
        (BURGER, "I would buy a vegan burger. Not!", ""),
    ],
)
def test_behind_an_answer_may_stand_a_reason_and_no_condition_or_other_voice(
    question: SurveyQuestion, text: str, value: str
) -> None:
    assert value_of(question, text) == value


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (USE, "I use the bus and the tram.", "bus; tram"),
        (USE, "I no longer use the tram.", ""),
        (CAR, "I no longer have a car.", "no"),
        (ACTIVE, "J'ai activé la carte.", "Oui"),
        (ACTIVE, "Je n'ai pas activé la carte.", "Non"),
        (ACTIVE, "Ma femme a activé la carte.", ""),
        (ACTIVADO, "No he activado el acceso.", "No"),
        (PRENEZ, "Je prends le bac.", "Oui"),
        (PRENEZ, "Je prenais le bac.", ""),
        (PISCINE, "Ma note pour la piscine est de 7 sur 10.", "7"),
        (THERME, "Meine Zufriedenheit mit der Therme liegt bei 4 von 10.", "4"),
        (THERME, "Ich bin mit der Therme zufrieden: 7 von 10.", "7"),
        (TRAIN, "If you ask me, I rate the night train 7 out of 10.", "7"),
        (replace(USE, text="Which of these have you used?"), "I have used the tram.", "tram"),
        (USE, "I have used the tram.", ""),
        (USE, "I use the tram until March.", ""),
        (USE, "I use the tram. The bus too.", ""),
        (DRINK, "I choose tea at lunch.", "tea"),
        (DRINK, "I choose tea after lunch.", ""),
        (USE, "My wife uses the tram.", ""),
        (NUTZEN, "Ich nutze den Bus und die Tram.", "Bus; Tram"),
        (HALL, "At the town hall I use the counter and the car park.", "counter; car park"),
        (HALL, "I use the counter.", ""),
        (DIENSTE, "Im Rathaus nutze ich den Schalter und die Kita.", "Schalter; Kita"),
        (MAIRIE, "À la mairie, j'utilise le guichet et le parking.", "guichet; parking"),
        (USA, "Uso el archivo y la ventanilla.", "archivo; ventanilla"),
        (USA, "Usa el archivo.", ""),
        (USA, "Mi hijo usa el archivo.", ""),
        (PREFIERE, "Prefiero el tren.", "tren"),
        (PREFIERE, "Prefiero el bus al tren.", "bus"),
        (PREFIERE, "Mi hijo prefiere el tren.", ""),
        (PREFEREZ, "Je préfère le bac.", "bac"),
        (PREFEREZ, "Je préfère le bac au bus.", "bac"),
        (PREFEREZ, "Ma mère préfère le bac.", ""),
        (LIEBSTEN, "Ich mag Romane am liebsten.", "Romane"),
        (LIEBSTEN, "Ich ziehe Romane den Dramen vor.", "Romane"),
        (LIEBSTEN, "Mein Bruder mag Romane am liebsten.", ""),
        (RIDE, "I prefer the bike to the tram.", "bike"),
        (RIDE, "I prefer the bike to the tram, because it is quick.", "bike"),
        (RIDE, "I prefer the tram over the bus and the bike.", "tram"),
        (RIDE, "I prefer the tram to be painted red.", ""),
        (RIDE, "I prefer the tram over.", ""),
        (USE, "I use the tram bus.", ""),
        (THERME, "Ich gebe der Therme 4 von 10 Punkten.", "4"),
        (THERME, "Meine Zufriedenheit mit der Therme ist 6.", "6"),
        (THERME, "Sie bewerten die Therme mit 9 von 10.", ""),
        (PISCINE, "Je note la piscine 7 sur 10.", "7"),
        (PISCINE, "Je donne à la piscine 4 sur 10.", "4"),
        (PISCINE, "La piscine est notée 9 sur 10.", ""),
        (PISCINE, "Je notais la piscine 9 sur 10.", ""),
        (MUSEO, "Valoro el museo con un 7 sobre 10.", "7"),
        (MUSEO, "Le doy al museo un 4 sobre 10.", "4"),
        (MUSEO, "Valoró el museo con un 9 sobre 10.", ""),
        (MUSEO, "Él valora el museo con un 9 sobre 10.", ""),
        (MUSEO, "No valoro el museo con un 8 sobre 10.", ""),
    ],
)
def test_lists_to_tick_and_ratings_are_read_in_four_languages(question: SurveyQuestion, text: str, value: str) -> None:
    assert value_of(question, text) == value


@given(QUESTIONS, TEXTS)
def test_whatever_is_answered_can_be_counted_and_stands_in_the_cited_passage(
    question: SurveyQuestion, texts: list[str]
) -> None:
    known: list[Passage] = [passage(text) for text in texts]
    try:
        said = answer_survey("offline", question, known)
    except EngineUnavailable:
        return

    assert said.citations
    assert all(
        part in one_line(" ".join(cited.text for cited in said.citations)) for part in said.message.split("\n\n")
    )
    assert question.type != "categorical" or said.value in {"", *question.options}
    assert question.type != "scale" or not said.value or 1 <= int(said.value) <= 10
