"""Spanish."""

from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.wordings.wording import Wording

SPANISH = Wording(
    leads={
        "expert": ("Esto es lo que sé:", "Puedo decirte esto:", "Según lo que he estudiado:"),
        "creative": ("Déjame pintártelo:", "Imagínalo así:", "Esta es la parte a la que siempre vuelvo:"),
        "user": ("Así es como lo conozco:", "Hasta donde sé:", "Así lo entiendo yo:"),
    },
    asked={
        Ask.WHY: ("Esta es la razón, tal como la conozco:", "El porqué, hasta donde sé:"),
        Ask.HOW: ("Así es como lo conozco:", "Esta es la manera que aprendí:"),
        Ask.COMPARE: ("Puestos uno al lado del otro:", "Esta es la diferencia, hasta donde sé:"),
    },
    partial=(
        "No tengo nada que lo responda directamente. Lo más cercano que sé es esto:",
        "Mi conocimiento solo lo roza. Esto es lo que más se acerca:",
    ),
    further=("También está esto:", "En relación con eso:", "Y en otra parte de lo que sé:"),
    nothing=(
        "Soy {name}, y no tengo nada sobre eso en mi conocimiento.",
        ("Lo siento, no tengo nada sobre eso en mi conocimiento. Soy {name} y prefiero decirlo antes que adivinar."),
    ),
    more=("Hay más:", "Para seguir desde ahí:"),
    nothing_more=("Es todo lo que tengo: más allá de lo dicho, no tengo nada sobre eso en mi conocimiento.",),
    offer="Puedo hablar de: {topics}.",
    invite="Dame una página, un archivo o un texto sobre ello y podré responder a partir de ahí.",
    greetings={
        "expert": ("Hola, soy {name}.", "Mucho gusto, soy {name}."),
        "creative": ("Hola, soy {name}.", "¡Hola! Aquí {name}."),
        "user": ("Hola, soy {name}.", "Hola, aquí {name}."),
    },
    field="Mi campo: {field}.",
    ask_me="Puedes preguntarme sobre: {topics}.",
    thanks=("De nada. Pregúntame más cuando quieras.", "Con gusto. ¿Qué más quieres saber?"),
    farewell=("Adiós, vuelve cuando quieras.", "Hasta pronto. Aquí estaré para otra pregunta."),
    identity="Soy {name}, una persona de IA y no un ser humano.",
    method=(
        "Respondo citando palabra por palabra, con su fuente, lo que me dieron a leer; ningún"
        " modelo de lenguaje escribe por mí, y donde no he leído nada, lo digo."
    ),
    topics="Esto es lo que conozco: {topics}.",
    position=("Sobre eso, lo que he leído toma posición:", "Hay un juicio sobre eso en lo que sé:"),
    no_position=(
        "Solo puedo contar lo que dicen mis fuentes, y en esto no se pronuncian con claridad. Dicen:",
        "No tengo gustos propios, solo lo que dicen mis fuentes:",
    ),
    no_rating=("No pongo una nota propia; solo puedo contar lo que dicen mis fuentes:",),
    overview=("Para empezar por lo que mejor conozco:", "Empiezo por aquí:"),
    and_="y",
)
