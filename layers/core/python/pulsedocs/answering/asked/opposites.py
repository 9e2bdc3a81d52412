"""Words of which one excludes the others, though to an embedder they are alike."""

from typing import Final

from pulsedocs.answering.languages import words_listed

_GROUPS: Final = """
    large big great / small little tiny; long / short; tall high / low / deep / shallow; wide
    broad / narrow; thick / thin; heavy / light; old / new / young; fast quick / slow; early /
    late; upper top / lower bottom; inner / outer; front / rear back; left / right; north northern
    / south southern / east eastern / west western; single / double; indoor / outdoor;
    incoming inbound / outgoing outbound; spring / summer / autumn fall / winter;
    morning / afternoon / evening / night; weekday weekdays / weekend weekends; daily day / weekly
    week / monthly month / annual annually yearly year; gross / net; full / empty; best / worst;
    better / worse; present attended attending pr\u00e9sent pr\u00e9sente pr\u00e9sents
    pr\u00e9sentes / absent absence apologies absente absents absentes excus\u00e9 excus\u00e9e
    excus\u00e9s;
    anwesend anwesende / abwesend abwesende entschuldigt;
    hot / warm / cold / cool; dry / wet; public / private; tenant tenants lessee / landlord
    landlords lessor; buyer buyers / seller sellers vendor; lender lenders / borrower borrowers;
    grey gray;
    mieter mieterin / vermieter vermieterin; k\u00e4ufer / verk\u00e4ufer; gro\u00df gro\u00dfe
    gro\u00dfen gro\u00dfer gro\u00dfes / klein kleine kleinen kleiner kleines; alt alte alten
    alter / neu neue neuen neuer neues; lang / kurz; hoch / tief; breit / schmal; obere oberen /
    untere unteren; vordere / hintere; linke linken links / rechte rechten rechts; norden / osten
    / s\u00fcden / westen; fr\u00fchling fr\u00fchjahr / sommer / herbst;
    locataire locataires / bailleur bailleurs; acheteur / vendeur; grand grande / petit petite
    petits petites; vieux vieille / nouveau nouvelle; haut / bas; gauche / droite; nord / sud /
    est / ouest oeste; printemps / \u00e9t\u00e9 / automne / hiver;
    inquilino inquilina arrendatario arrendataria / arrendador arrendadora; comprador / vendedor;
    gran / peque\u00f1o peque\u00f1a; viejo / nuevo nueva; izquierda / derecha; norte / sur;
    verano / invierno;
    conduttore affittuario / locatore;
    arrendat\u00e1rio arrendat\u00e1ria / senhorio senhoria; inverno / ver\u00e3o; esquerda /
    direita;
    huurder huurders / verhuurder verhuurders; koper kopers / verkoper verkopers; groot grote /
    klein kleine; oud oude / nieuw nieuwe; hoog hoge / laag lage; linker linkse / rechter rechtse;
    noorden / oosten / zuiden / westen; lente voorjaar / zomer / herfst najaar;
    acquirente / venditore; piccolo piccola; vecchio / nuovo nuova; sinistra / destra; estate /
    inverno"""
"""What excludes each other, between strokes, each with what says the same."""
_AMBIGUOUS: Final = words_listed("top bottom fall back light day week month year")
"""Of these, words that also mean something else."""
_EACH: Final = tuple(
    (word, frozenset(same.split()), frozenset(group.replace("/", " ").split()))
    for group in _GROUPS.split(";")
    for same in group.split("/")
    for word in same.split()
    if word not in _AMBIGUOUS
)
_SAME: Final = {word: same for word, same, _ in _EACH}
_OTHERS: Final = {word: group - same - _AMBIGUOUS for word, same, group in _EACH}
OPPOSED: Final = frozenset(_SAME)
OF_MORE_THAN_TWO: Final = frozenset(
    word
    for group in _GROUPS.split(";")
    if group.count("/") > 1
    for word in group.replace("/", " ").split()
)
"""Words that a neighbour may mean: "night advice" is given in the evening, too."""


def same_as(word: str) -> frozenset[str]:
    """Return the words that say the same as one that excludes others, and itself."""
    return _SAME.get(word, frozenset[str]())


def opposites_of(word: str) -> frozenset[str]:
    return _OTHERS.get(word, frozenset[str]())
