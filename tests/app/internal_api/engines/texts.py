"""Documents that personas know in the tests, cut into passages at their headings."""

from app.internal_api.knowledge.documents import Passage

ESPRESSO = """# Brewing espresso

Espresso is a small, concentrated coffee that is made by pressing hot water through finely ground coffee
at high pressure. A classic double uses 18 grams of ground coffee and yields about 36 grams in the cup, a
ratio of one to two. The pump pushes the water with roughly 9 bar, which is nine times the pressure of
the air around us.

## Grind size

The grinder matters more than the machine. Finer grounds slow the water down, because they leave less
room between the particles. If a shot runs through in fifteen seconds and tastes sour, grind finer. If it
drips for a minute and tastes bitter, grind coarser. A burr grinder is worth its price, whereas a blade
grinder is a mistake for espresso: it cuts unevenly, so some of the coffee is over-extracted and some is
not extracted at all.

## Time and temperature

A good shot takes between 25 and 30 seconds, counted from the moment the pump starts. The water should be
between 90 and 96 degrees Celsius. Light roasts like it hotter, dark roasts cooler. Let the machine warm
up for at least 20 minutes, otherwise the cold metal steals the heat of the water.

## History

Angelo Moriondo of Turin patented the first steam-driven coffee machine in 1884. Luigi Bezzera improved
it in 1901 and put the coffee into a handle that is still used today. The crema arrived only after 1948,
when Achille Gaggia replaced steam by a spring lever and reached a much higher pressure.

## Cleaning

Wipe the steam wand at once after use, since milk burns onto it within a minute. You need three things
for the weekly cleaning:

- a blind filter
- a spoonful of espresso machine detergent
- a soft brush for the group head

Descale every three months if the water is hard.
"""

BICYCLES = """# Cycling to work

Most commutes in cities are shorter than 8 kilometres, a distance that a bicycle covers in about half an
hour. Over such distances the bicycle is often faster than the car, because it needs no parking space and
passes the queue.

## Safety

Be seen: a steady front light, a red rear light and reflective ankle bands do more than any helmet,
because they prevent the collision instead of softening it. Keep a metre away from parked cars, since an
opening door is the most common cause of serious injuries in town. Never pass a lorry on the right at a
junction, for its driver cannot see you there.

## Electric bicycles

An e-bike helps up to 25 kilometres per hour and flattens hills. The battery costs 400 to 700 euros and
lasts about five years. Charging it costs less than ten cents for 100 kilometres.

## Locks

Spend ten percent of the bicycle's price on the lock. Use two different locks, as a thief seldom carries
the tools for both. Lock the frame and the rear wheel to something that cannot be lifted.

| Lock | Weight | Time to break |
|---|---|---|
| Cable lock | 0.3 kg | 10 seconds |
| Folding lock | 1.1 kg | 3 minutes |
| U-lock | 1.5 kg | 5 minutes |
"""


KAFFEE = """# Filterkaffee

Für einen Liter Filterkaffee nimmt man 60 Gramm gemahlene Bohnen. Das Wasser sollte 92 bis 96 Grad heiß sein,
weil kochendes Wasser Bitterstoffe löst. Der Papierfilter wurde 1908 von Melitta Bentz in Dresden erfunden.

## Aufbewahrung

Geöffnete Bohnen halten sich in einer dichten Dose etwa vier Wochen. Im Kühlschrank nehmen sie fremde Gerüche an.
"""


def passages_of(text: str, title: str) -> list[Passage]:
    """The document as a search that finds everything would return it."""
    sections = text.split("\n## ")
    found = []
    for number, section in enumerate(sections):
        heading, _, body = section.partition("\n")
        found.append(
            Passage(
                chunk_id=f"{title}-{number}",
                item_id=title,
                text=body.strip(),
                title=title,
                link=None,
                page=None,
                heading=heading.strip("# "),
                similarity=1 - number / 100,
            )
        )
    return found
