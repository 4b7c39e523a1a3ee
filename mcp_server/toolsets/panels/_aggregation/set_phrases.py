"""Pairs of words that are one thing: "terms and conditions" asks for one."""

_PAIRS = """
friend colleague, friend family, colleague friend, family friend, friend relative, term condition, rule regulation,
law order, policy procedure, law regulation, aim objective, goal objective, pro con, advantage disadvantage,
strength weakness, cost benefit, profit loss, risk benefit, hope dream, hope fear, up down, in out, nut bolt, odds
end, bit piece, dos dont, do dont, like dislike, look feel, work life, life work, research development, health
safety, health wellness, diversity inclusion, equity inclusion, trust safety, safety security, search rescue, rest
relaxation, peace quiet, peace mind, law justice, wear tear, supply demand, trial error, question answer, cause
effect, pick mix, lost found, room board, bed breakfast, park ride, click collect, plug play, point click, drag
drop, copy paste, cut paste, track trace, hide seek, buy sell, mix match, wine dine, meet greet, kiss ride, food
drink, food beverage, fish chip, salt pepper, salt vinegar, oil vinegar, mac cheese, macaroni cheese, ham cheese,
wine cheese, cheese onion, cheese cracker, bread butter, butter jelly, butter jam, bacon egg, ham egg, sausage mash,
burger fry, burger fries, chip dip, steak chip, steak fries, rice bean, pork bean, surf turf, gin tonic, rum coke,
rum cola, vodka tonic, milk sugar, cream sugar, cookie cream, strawberry cream, chili lime, lemon lime, sweet sour,
hot sour, rock roll, rhythm blue, rhythm blues, drum bas, drum bass, country western, song dance, art craft, arts
craft, art culture, science technology, black white, day night, back forth, sale marketing, mom dad, mother father,
men women, women men, man woman, boy girl, husband wife, brother sister, ladies gentlemen, parent teacher, parent
child, parents children, parents child, black decker, procter gamble, johnson johnson, mark spencer, ben jerry,
dolce gabbana, barnes noble, smith wesson, rolls royce, safe sound, sick tired, loud clear, nice easy, neat tidy,
clean tidy, bright early, short sweet, tried tested, tried true, null void, fair square, hit miss, first foremost,
hard fast, high dry, alive well, small medium, small mid, body mind, mind body, heart soul, flesh blood, time
effort, time energy, love affection, thought feeling, thoughts feeling, comment suggestion, question concern, name
address, date time, time place, age gender, privacy policy, read write, come go, more more, over over, again again,
on on, sit relax, sleep wake, drink drive, wait see, sign date, freunden bekannten, freunden familie, freunden
kollegen, familie freunden, freunde familie, art weise, angebot nachfrage, ruhe ordnung, recht ordnung, haus garten,
hab gut, rat tat, hin her, essen trinken, lesen schreiben, wind wetter, bus bahn, mann frau, manner frauen, fix
fertig, vor nachteile, ein aus, amis famille, famille amis, sel poivre, hommes femmes, femmes hommes, lire ecrire,
va vient, aller retour, amigos familiare, amigos familia, familiares amigo, hombres mujeres, hombres mujere, sal
pimienta, ida vuelta, leer escribir
"""
TOGETHER = frozenset(pair.strip() for pair in _PAIRS.replace("\n", " ").split(","))
"""Each pair by its two words; a plural s at the end of either may be left out."""

LEADS_TO_DEED = frozenset(
    "go come stop try wait sit stand stay turn run hurry call take pick log sign like rather prefer".split()  # noqa: SIM905 - reads better
)
"""What is done only to do the next: "stop and look", "come and see", "log in and check"."""
