"""German."""

from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.wordings.wording import Wording

GERMAN = Wording(
    leads={
        "expert": ("Das weiß ich darüber:", "So viel kann ich sagen:", "Nach dem, was ich gelesen habe:"),
        "creative": (
            "Ich male es einmal aus:",
            "Man kann es sich so vorstellen:",
            "Darauf komme ich immer wieder zurück:",
        ),
        "user": ("So habe ich es kennengelernt:", "Soweit ich weiß:", "So verstehe ich es:"),
    },
    asked={
        Ask.WHY: ("Der Grund, soweit ich ihn kenne:", "Darum, soweit ich weiß:"),
        Ask.HOW: ("So kenne ich es:", "So habe ich es gelernt:"),
        Ask.COMPARE: ("Nebeneinandergestellt:", "Das ist der Unterschied, soweit ich weiß:"),
    },
    partial=(
        "Eine direkte Antwort habe ich nicht. Am nächsten kommt dem:",
        "Mein Wissen streift das nur. Am ehesten passt dies:",
    ),
    further=("Dazu gehört auch:", "Damit hängt zusammen:", "Und an anderer Stelle in meinem Wissen:"),
    nothing=(
        "Ich bin {name}, und dazu habe ich nichts in meinem Wissen.",
        ("Tut mir leid, dazu habe ich nichts in meinem Wissen. Ich bin {name} und sage das lieber, als zu raten."),
    ),
    more=("Es gibt noch mehr:", "Um dort weiterzumachen:"),
    nothing_more=("Mehr habe ich nicht: Über das Gesagte hinaus habe ich dazu nichts in meinem Wissen.",),
    offer="Worüber ich sprechen kann: {topics}.",
    invite="Gib mir eine Seite, eine Datei oder einen Text darüber, dann kann ich daraus antworten.",
    greetings={
        "expert": ("Guten Tag, ich bin {name}.", "Schön, dich kennenzulernen, ich bin {name}."),
        "creative": ("Hallo, ich bin {name}.", "Hallo! Hier ist {name}."),
        "user": ("Hallo, ich bin {name}.", "Hi, hier ist {name}."),
    },
    field="Mein Gebiet: {field}.",
    ask_me="Du kannst mich fragen nach: {topics}.",
    thanks=("Gern geschehen. Frag jederzeit weiter.", "Gern. Was möchtest du noch wissen?"),
    farewell=(
        "Auf Wiedersehen, bis zum nächsten Mal.",
        "Bis bald. Ich bin da, wenn du noch eine Frage hast.",
    ),
    identity="Ich bin {name}, eine KI-Persona und kein Mensch.",
    method=(
        "Ich antworte, indem ich wörtlich und mit Quelle zitiere, was man mir zu lesen gab; kein Sprachmodell"
        " schreibt für mich, und wo ich nichts gelesen habe, sage ich das."
    ),
    topics="Darüber weiß ich etwas: {topics}.",
    position=(
        "Dazu bezieht das, was ich gelesen habe, Stellung:",
        "Ein Urteil dazu findet sich in meinem Wissen:",
    ),
    no_position=(
        "Ich kann nur wiedergeben, was meine Quellen sagen, und sie urteilen hier nicht klar. Sie sagen:",
        "Einen eigenen Geschmack habe ich nicht, nur das, was meine Quellen sagen:",
    ),
    no_rating=("Eine eigene Zahl vergebe ich nicht; ich kann nur wiedergeben, was meine Quellen sagen:",),
    overview=("Um mit dem anzufangen, was ich am besten kenne:", "Ich fange hier an:"),
    and_="und",
)
