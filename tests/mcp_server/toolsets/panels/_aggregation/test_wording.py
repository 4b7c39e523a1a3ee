"""Wording that bends answers is found, and sound wording is left alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.wording import wording_caveats

SOUND = [
    "How likely are you to recommend this product?",
    "On a scale of 1\u201310, how likely are you to recommend us to friends and colleagues?",
    "Which of these channels would you use?",
    "Which of these features would you use (pick up to 3)?",
    "What should we improve in this onboarding?",
    "What is unclear, credible, missing?",
    "Would you pay $15/month for X? Why or why not?",
    "How satisfied are you with the price?",
    "How useful is this feature?",
    "How easy was it to sign up?",
    "What do you like and dislike about the app?",
    "What do you like most about the app?",
    "Which do you prefer: fast and cheap, or slow and good?",
    "Which of these matters most: price, quality and service, or speed?",
    "How often do you use it? (1 = never, 5 = always)",
    "How often do you shop online, from never to always?",
    "Have you ever used a meal kit?",
    "Do you use it every day?",
    "What is the best thing about it?",
    "Overall, how do you rate the service?",
    "How much do you agree or disagree that the app is easy to use?",
    "To what extent do you agree that the price is fair?",
    "Is it fast or easy?",
    "What would make you switch, and why?",
    "Which plan would you choose and why?",
    "How much would you pay for this?",
    "If you could only keep one feature, which would it be?",
    "What are the pros and cons of working from home?",
    "How satisfied are you with the terms and conditions?",
    "How important are health and safety to you?",
    'What comes to mind when you hear the tagline "Fast and easy, always"?',
    "How do you feel about remote work?",
    "Does the packaging tell you what is inside? What makes you say so?",
    "On a scale between 1 and 10, how clear is the page?",
    "How long is the time between ordering and delivery?",
    "Would you rather buy online or in a shop?",
    "What problems, if any, did you have?",
    "Do you own or rent your home?",
    "How good is the coffee?",
    "How many cups of coffee and tea do you drink?",
    "Are you male or female?",
    "How likely are you to buy a new car?",
    "What do you think of our new logo?",
    "How satisfied are you with your work and life balance?",
    "Have you never heard of us, heard of us once or often?",
    "Do you know everyone in your team?",
    "Which features are missing or hard to find?",
    "How would you rate our customer service on a scale from 1 (very poor) to 5 (excellent)?",
    "How likely are you to switch to a plan with fewer features and a lower price?",
    "Do you have children and if so, how old are they?",
    "What is the most exciting feature?",
    "Which of the following do you own: car, bike and scooter?",
    "Don't know what to cook: how often does that happen to you?",
    "Wie zufrieden sind Sie mit dem Preis?",
    "Wie wahrscheinlich ist es, dass Sie uns Freunden und Bekannten empfehlen?",
    "Was könnten wir verbessern?",
    "Nutzen Sie immer noch Excel?",
    "Quelle est votre opinion sur le prix ?",
    "À quel point êtes-vous satisfait du prix ?",
    "¿Qué tan satisfecho está con el precio?",
    "¿Qué mejoraría y por qué?",
    "¿Con qué frecuencia compra?",
    "How do you decide what to buy?",
    "What is your biggest challenge at work?",
    "Rate the product from 1 to 5.",
    "Do you find the instructions clear?",
    "Would you like coffee?",
    "Who decides on software in your team, and how?",
    "What would stop you from buying?",
    "How well does the message fit you?",
    "Is the price too high, too low or about right?",
    "Did you have no problem at all, some problems or many?",
    "Why did you choose this plan?",
    "Can you describe the last time you ordered food?",
    "Please explain how you choose a bank. What matters to you?",
    "What is missing from the page?",
    "Do you agree or disagree: the app is easy?",
    "How credible is the claim?",
    "How would you describe the brand in three words?",
    "What first impression do you have and what would you change?",
    "How likely are you to sign up and use it weekly?",
    "What do you drink in the morning? Coffee, tea, juice or nothing?",
    "Would you stop and look at this poster?",
    "Do you like salt and vinegar crisps?",
    "À quelle fréquence faites-vous du sport : jamais, parfois ou souvent ?",
    "Do you shop online always, sometimes or never?",
    "Lesen Sie die Zeitung immer, manchmal oder nie?",
    "¿Lee el periódico siempre, a veces o nunca?",
]

BENT = [
    ("leading", "Don't you agree that the price is fair?"),
    ("leading", "Wouldn't you say the app is easy?"),
    ("leading", "Isn't it time for a change?"),
    ("leading", "Do you agree that prices are too high?"),
    ("leading", "The app is easy to use, isn't it?"),
    ("leading", "This is better, right?"),
    ("leading", "Surely you would buy this?"),
    ("leading", "Most people prefer the blue one. Which do you prefer?"),
    ("leading", "As everyone knows, sugar is bad. Do you eat it?"),
    ("loaded", "How great is our new app?"),
    ("loaded", "How amazing was the service?"),
    ("loaded", "How terrible is the old design?"),
    ("loaded", "How much do you love the new logo?"),
    ("loaded", "How likely are you to try our innovative app?"),
    ("loaded", "Would you buy this award-winning wine?"),
    ("loaded", "What do you think of the clunky interface?"),
    ("presumes", "Why do you love our product?"),
    ("presumes", "What do you love about the app?"),
    ("presumes", "Why is our app better than others?"),
    ("presumes", "How much better is the new version?"),
    ("presumes", "When will you buy the product?"),
    ("presumes", "How has the app improved your life?"),
    ("double_barrelled", "How fast and easy is the app?"),
    ("double_barrelled", "Is the app fast and easy?"),
    ("double_barrelled", "Is the app fast and easy to use?"),
    ("double_barrelled", "How satisfied are you with the price and quality?"),
    ("double_barrelled", "How would you rate the price and the quality of the product?"),
    ("double_barrelled", "Rate our service and support from 1 to 10."),
    ("double_barrelled", "Do you like the design, and would you buy it?"),
    ("double_barrelled", "Would you buy and recommend this?"),
    ("double_barrelled", "Do you like it? Would you buy it?"),
    ("double_barrelled", "How important are price and quality to you?"),
    ("double_barrelled", "Do you find the site useful and affordable?"),
    ("double_barrelled", "Should the company reduce prices and improve quality?"),
    ("double_barrelled", "Do you think prices and wages should rise?"),
    ("absolute", "Do you always read the terms?"),
    ("absolute", "Would you never buy second hand?"),
    ("absolute", "Are you completely satisfied?"),
    ("absolute", "Does everyone in your team use it?"),
    ("absolute", "Do you like all of the features?"),
    ("leading", "Finden Sie nicht auch, dass der Preis fair ist?"),
    ("leading", "Der Preis ist fair, oder?"),
    ("loaded", "Wie toll ist die App?"),
    ("double_barrelled", "Wie schnell und einfach ist die App?"),
    ("double_barrelled", "Wie zufrieden sind Sie mit dem Preis und der Qualität?"),
    ("absolute", "Lesen Sie immer die Bedingungen?"),
    ("leading", "Ne pensez-vous pas que le prix est juste ?"),
    ("leading", "C'est facile, n'est-ce pas ?"),
    ("double_barrelled", "Comment évaluez-vous le prix et la qualité ?"),
    ("presumes", "Pourquoi aimez-vous notre produit ?"),
    ("absolute", "Lisez-vous toujours les conditions ?"),
    ("leading", "¿No cree que el precio es justo?"),
    ("loaded", "¿Qué tan genial es la aplicación?"),
    ("double_barrelled", "¿Qué tan rápida y fácil es la aplicación?"),
    ("double_barrelled", "¿Qué tan satisfecho está con el precio y la calidad?"),
    ("absolute", "¿Lee siempre las condiciones?"),
    ("leading", "¿Es fácil, verdad?"),
]


def codes(question: str) -> list[str]:
    return [caveat.code for caveat in wording_caveats(question)]


@pytest.mark.parametrize("question", SOUND)
def test_a_sound_question_is_left_alone(question: str) -> None:
    assert codes(question) == []


@pytest.mark.parametrize(("code", "question"), BENT)
def test_a_bent_question_is_told_by_its_fault(code: str, question: str) -> None:
    assert codes(question) == [code]


def test_several_faults_are_all_told() -> None:
    assert codes("Don't you agree that our amazing app is always fast and easy?") == [
        "leading",
        "loaded",
        "double_barrelled",
    ]
    assert set(codes("Do you always read it? Why do you love it?")) == {"absolute", "presumes"}


@pytest.mark.parametrize(("code", "question"), BENT)
def test_a_fault_is_shown_and_a_better_wording_told(code: str, question: str) -> None:
    message = wording_caveats(question)[0].message

    assert re.match(r'".+" ', message)
    assert re.search(r"\b(?:Ask|Leave)\b", message)


def test_a_fault_is_shown_to_the_end_of_its_last_word() -> None:
    question = "and don't you agree the application is great?"

    message = wording_caveats(question)[0].message

    shown = message[1 : message.index('"', 1)]
    assert shown.split()[:4] == ["and", "don't", "you", "agree"]
    assert set(shown.split()) <= set(question.strip("?").split())


def test_a_question_of_ten_thousand_signs_is_read_too() -> None:
    assert codes("What is missing? " + " and more" * 1_000) == []


@given(st.text(max_size=300))
def test_any_text_can_be_read(question: str) -> None:
    found = codes(question)

    assert len(found) == len(set(found))
