"""Words that are no theme by themselves, in English, German, French and Spanish, folded; only those of four letters
and more, since shorter words are never looked at.
"""

ENGLISH = """
    able about above absolutely actually again almost along already also although always among another anyone
    anything around back because become becomes been before being believe below better between both bring brings
    cannot certain certainly clearly come comes could definitely depends does doing done dont down during each
    either else enough especially even ever every everyone everything exactly example expect fact fairly feel feels
    felt find finds first from full fully generally gets getting give gives given goes going good great have having
    help helps hence here hers honestly however idea ideas important indeed inside instead into itself just keep
    kind know knows last later least less like liked likely likes little long look looking looks made mainly make
    makes making many matter matters maybe mean means might more most mostly much must myself need needed needs
    neither never next none nothing often once ones only onto other others otherwise ours over overall part people
    perhaps person personally point possible possibly pretty probably quite rather real really reason reasons right
    said same says seem seems several shall should show shows similar simply since some someone something sometimes
    soon still stuff such sure take takes tell than that thats their them then there therefore these they theyre
    thing things think thinks this those though thought through thus time times together told toward tried truly
    trying under unless until upon used useful user users uses using usually various very want wanted wants well
    went were weve what whatever when where whether which while whole whom whose will with within without wont work
    working works would wouldnt year years your yours youre yourself cant didnt doesnt havent ideally isnt youd
    theres hasnt wasnt werent arent couldnt shouldnt today worth
"""
GERMAN = """
    aber alle allem allen aller alles also andere anderen anderer auch beim bereits bisher bleibt brauche brauchen
    dabei dadurch dafur dagegen damit danach dann daran darauf daraus daruber darum dass davon dazu deine denke denn
    dennoch deren dessen deshalb dich diese diesem diesen dieser dieses doch dort durch eben eher eigentlich eine
    einem einen einer eines einfach einige einmal etwa etwas euch fast finde ganz geben gegen geht gibt gleich haben
    hatte hatten habe halt heute hier hinter ihre ihrem ihren ihrer immer ja jede jedem jeden jeder jedes jedoch
    jemand jetzt kann kein keine keinem keinen keiner konnen konnte leicht lieber machen macht manchmal mehr mein
    meine meinem meinen meiner meisten mich mochte muss mussen nach neben nicht nichts noch nochmal oder ohne oft
    schon sehr sein seine seinem seinen seiner seit sich sicher sind sogar sollen sollte sonst uber unser unsere
    unter viel viele vielleicht vollig vom vorher wann waren warum weil weiter weniger wenn werde werden wichtig
    wieder will wird wirklich wissen worden wurde wurden zeit ziemlich zwar zwischen
"""
FRENCH = """
    ainsi alors apres assez aucun aucune aussi autre autres avant avec avoir beaucoup bien cela celle celui cependant
    certain certains cette chaque chez chose choses comme comment contre dans depuis deux devant doit donc dont
    elle elles encore entre etait etre etes faire fait faut fois font ici jamais juste leur leurs lors mais meme
    mieux moins notre nous nouveau parce parfois pense peut peux plus plusieurs plutot pour pourquoi pourrait
    presque quand quel quelle quelque quelques quoi rien sans sera serait seulement soit sont souvent suis sur
    surtout tous tout toute toutes tres trop trouve trouver vers vous votre vraiment
"""
SPANISH = """
    ademas ahora algo alguien algun alguna algunas algunos ante antes aquel aqui asi aunque bastante bien cada casi
    como contra cosa cosas creo cual cuando cuanto debe desde despues donde dos durante ella ellas ellos entonces
    entre eran eres esas esos esta estaba estan estar este esto estos estoy fuera gran hace hacer hacia hasta hecho
    igual incluso luego mayor mejor menos mientras mismo mucha muchas mucho muchos nada nadie nunca otra otras otro
    otros para parece parte pero poco porque puede pueden pues quien realmente segun sera seria siempre sido sobre
    solo somos tambien tanto tener tengo tiene tienen toda todas todavia todo todos tras unas unos usted veces
    verdad vez
"""
COMMON = frozenset(f"{ENGLISH} {GERMAN} {FRENCH} {SPANISH}".split())
