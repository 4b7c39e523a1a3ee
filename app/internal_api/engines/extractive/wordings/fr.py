"""French."""

from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.wordings.wording import Wording

FRENCH = Wording(
    leads={
        "expert": ("Voici ce que j'en sais :", "Je peux vous dire ceci :", "D'après ce que j'ai étudié :"),
        "creative": (
            "Laissez-moi vous le dépeindre :",
            "Imaginez-le ainsi :",
            "Voici ce à quoi je reviens toujours :",
        ),
        "user": (
            "Voici comment je l'ai appris :",
            "Autant que je sache :",
            "Voici comment je le comprends :",
        ),
    },
    asked={
        Ask.WHY: ("Voici la raison, telle que je la connais :", "Voici pourquoi, autant que je sache :"),
        Ask.HOW: ("Voici comment, d'après ce que je sais :", "Voici la façon que j'ai apprise :"),
        Ask.COMPARE: ("Mis côte à côte :", "Voici la différence, telle que je la connais :"),
    },
    partial=(
        "Je n'ai rien qui y réponde directement. Ce qui s'en approche le plus :",
        "Mes connaissances ne font qu'effleurer le sujet. Voici le plus proche :",
    ),
    further=("Il y a aussi ceci :", "En rapport avec cela :", "Et, ailleurs dans ce que je sais :"),
    nothing=(
        "Je suis {name}, et je n'ai rien à ce sujet dans mes connaissances.",
        (
            "Désolé, je n'ai rien à ce sujet dans mes connaissances."
            " Je suis {name}, et je préfère le dire plutôt que deviner."
        ),
    ),
    more=("Il y a encore ceci :", "Pour continuer :"),
    nothing_more=("C'est tout : au-delà de ce qui est dit, je n'ai rien à ce sujet dans mes connaissances.",),
    offer="Je peux parler de : {topics}.",
    invite="Donnez-moi une page, un fichier ou un texte à ce sujet, et je pourrai répondre à partir de là.",
    greetings={
        "expert": ("Bonjour, je suis {name}.", "Enchanté, je suis {name}."),
        "creative": ("Bonjour, je suis {name}.", "Bonjour ! Ici {name}."),
        "user": ("Salut, je suis {name}.", "Salut, ici {name}."),
    },
    field="Mon domaine : {field}.",
    ask_me="Vous pouvez m'interroger sur : {topics}.",
    thanks=(
        "Avec plaisir. Posez-moi d'autres questions quand vous voulez.",
        "Je vous en prie. Que voulez-vous savoir d'autre ?",
    ),
    farewell=("Au revoir, et revenez quand vous voulez.", "À bientôt. Je suis là pour une autre question."),
    identity="Je suis {name}, un personnage d'IA et non un être humain.",
    method=(
        "Je réponds en citant mot pour mot, avec la source, ce qu'on m'a donné à lire ; aucun"
        " modèle de langue n'écrit pour moi, et là où je n'ai rien lu, je le dis."
    ),
    topics="Voici ce que je connais : {topics}.",
    position=(
        "Là-dessus, ce que j'ai lu prend position :",
        "Il y a un jugement à ce sujet dans ce que je sais :",
    ),
    no_position=(
        ("Je ne peux que rapporter mes sources, et elles ne tranchent pas clairement. Voici ce qu'elles disent :"),
        "Je n'ai pas de goût personnel, seulement ce que disent mes sources :",
    ),
    no_rating=("Je ne donne pas de note à moi ; je ne peux que rapporter ce que disent mes sources :",),
    overview=("Pour commencer par ce que je connais le mieux :", "Commençons par ceci :"),
    and_="et",
)
