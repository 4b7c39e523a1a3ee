"""48 answers to one open question, as people write them, in three languages: five planted themes and three dissenters.

Each line: the group, the themes, the stance where it is not that of most, and the answer.
"""

from dataclasses import dataclass

QUESTION = "The library will open on Sundays. What does it have to get right?"
PREMISE = "agrees"
THEMES = {
    "quiet": "Quiet rooms",
    "coffee": "Coffee and food",
    "power": "Sockets and wifi",
    "fees": "Fees",
    "travel": "Getting there",
}
LINES = """
North|quiet|en|somewhere silent to read, the hall is way too loud!!
North|quiet|en|Less noise. Honestly the noise kills it for me
North|quiet|en|I need a silent room where nobody talks
North|quiet coffee|en|quieter reading areas, and a decent coffee would not hurt
North|quiet|en|people phoning everywhere... make it a silent floor pls
North|quiet power|en|A quiet corner. And more sockets for laptops
North|coffee|en|good coffee, maybe cake
North|coffee|en|let us buy a sandwich and something to drink inside
North|coffee|en|A café that is open too, I get hungry
North|coffee|en|hot drinks and snacks pls
North|power|en|wifi that works, it drops all the time
North|power|en|sockets!! my laptop battery is dead after 2 hours
North|power|en|plugs at every table and faster internet
North|fees|en|dont charge for it, the yearly fee is too high already
North|fees|en|Keep it free. The late fees are too expensive
North|travel|en|the bus does not run on sundays, so sort out the bus
North|travel|en|parking. there is nowhere to park the car
North|quiet|de|Vor allem Ruhe, bitte einen stillen Lesesaal
North|power|de|Mehr Steckdosen und WLAN, das auch funktioniert
North|fees|de|Die Gebühren sind zu hoch, das muss billiger werden
North|travel|es|Que haya autobús los domingos, sin coche no llego
North|coffee|es|Un buen café y algo de comer
North|-disagrees|en|Leave sundays alone, staff deserve a day off. I am against it
North|none|en|no idea tbh
South|quiet|en|Silence, total silence, thats all
South|quiet|en|it has to be quiet, kids are so noisy on weekends
South|quiet travel|en|quiet study rooms; also a bus that gets me there
South|quiet|en|noise from the hall has to stop
South|coffee|en|coffee machine, and a place to eat lunch
South|coffee|en|food and drinks, I stay all day
South|coffee power|en|tea or coffee, plus wifi that is not awful
South|power|en|The internet is slow, fix the wifi first
South|power|en|charging points for phones and laptops
South|power|en|reliable wifi and a plug socket near the desks
South|fees|en|no membership fee on top, it is too expensive for students
South|fees|en|cheaper fees pls, printing costs too much as well
South|fees|en|the price. membership costs a fortune
South|travel|en|cheap parking nearby or a better bus line
South|travel|en|buses! public transport is a joke on sundays
South|travel|en|a car park, I drive there with the kids
South|quiet|de|Endlich ruhige Plätze, es ist immer so laut
South|coffee|de|Ein Café mit Kuchen wäre toll
South|travel|de|Parkplätze und ein Bus, der sonntags fährt
South|quiet|es|Silencio, que la gente no hable tan alto
South|power|es|Más enchufes y un wifi decente
South|fees|es|Que sea gratis, las cuotas son muy caras
South|-disagrees|de|Ich bin dagegen, sonntags soll die Bücherei zu bleiben
South|-disagrees|es|No hace falta abrir los domingos, es tirar el dinero
"""


@dataclass(frozen=True)
class Planted:
    """One answer and what is in it. `name` is its persona's."""

    name: str
    group: str
    themes: frozenset[str]
    stance: str
    language: str
    text: str


def planted() -> list[Planted]:
    """All 48, in their order."""
    found = []
    for number, line in enumerate(LINES.strip().splitlines(), 1):
        group, themes, language, text = line.split("|")
        against, nothing = themes == "-disagrees", themes == "none"
        stance = "disagrees" if against else "neither" if nothing else PREMISE
        held = frozenset() if against or nothing else frozenset(themes.split())
        found.append(Planted(f"{group} {number:02}", group, held, stance, language, text))
    return found
