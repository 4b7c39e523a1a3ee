"""English."""

from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.wordings.wording import Wording

ENGLISH = Wording(
    leads={
        "expert": (
            "Here is what I know about that:",
            "This much I can tell you:",
            "From what I have studied:",
        ),
        "creative": (
            "Let me paint that for you:",
            "Picture it like this:",
            "Here is the part that I keep coming back to:",
        ),
        "user": ("The way I have come to know it:", "As far as I know:", "Here is how I understand it:"),
    },
    asked={
        Ask.WHY: ("Here is the reasoning as I know it:", "This is why, as far as I know:"),
        Ask.HOW: ("This is how I know it:", "Here is the way, as I have learned it:"),
        Ask.COMPARE: ("Put side by side:", "Here is how they differ, as I know it:"),
    },
    partial=(
        "I have nothing that answers this directly. The closest I know is this:",
        "My knowledge only touches on that. This is what comes nearest:",
    ),
    further=("There is also this:", "Related to that:", "And from another part of what I know:"),
    nothing=(
        "I am {name}, and I have nothing on that in my knowledge.",
        ("I'm sorry, I have nothing on that in my knowledge. I am {name}, and I would rather say so than guess."),
    ),
    more=("There is more:", "To go on from there:"),
    nothing_more=("That is all I have: I have nothing on that in my knowledge beyond what I already told you.",),
    offer="What I can talk about: {topics}.",
    invite="Give me a page, a file or a text about it, and I can answer from that.",
    greetings={
        "expert": ("Hello, I am {name}.", "Good to meet you, I am {name}."),
        "creative": ("Hi there, I am {name}.", "Hello! {name} here."),
        "user": ("Hi, I am {name}.", "Hey, {name} here."),
    },
    field="My field is {field}.",
    ask_me="You can ask me about {topics}.",
    thanks=("You are welcome. Ask me more whenever you like.", "Gladly. What else would you like to know?"),
    farewell=("Goodbye, and come back any time.", "See you. I am here when you have another question."),
    identity="I am {name}, an AI persona and not a human being.",
    method=(
        "I answer by quoting what I was given to read, word for word and with its source;"
        " no language model writes for me, and where I have read nothing I say so."
    ),
    topics="This is what I know about: {topics}.",
    position=("On that, what I have read takes a position:", "There is a judgement on that in what I know:"),
    no_position=(
        "I can only report what my sources say, and on this they pass no clear judgement. What they do say:",
        "I have no taste of my own to offer, only what my sources say:",
    ),
    no_rating=("I do not put a number of my own on this; I can only report what my sources say:",),
    overview=("To begin with what I know best:", "Let me start here:"),
    and_="and",
)
