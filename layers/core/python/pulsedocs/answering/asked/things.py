"""What a sentence can hold that is asked for: numbers, money, units, times, places, colours."""

import re
from collections.abc import Container
from functools import reduce
from typing import Final

from pulsedocs.answering.asked.terms import PART, WORD
from pulsedocs.answering.languages import language_of, words_listed
from pulsedocs.model.calendar_names import MONTHS, WEEKDAYS
from pulsedocs.model.currencies import CURRENCY_SIGNS
from pulsedocs.model.letters import CHINESE, HIRAGANA
from pulsedocs.model.years import YEAR

_COUNTING: Final = words_listed(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand million billion half quarter third dozen once twice double triple single both
    none no unlimited several pair null ein eins zwei drei vier f\u00fcnf sechs sieben acht neun
    zehn elf zw\u00f6lf dreizehn vierzehn f\u00fcnfzehn sechzehn siebzehn achtzehn neunzehn zwanzig
    drei\u00dfig dreissig vierzig f\u00fcnfzig sechzig siebzig achtzig neunzig hundert tausend halb
    einmal zweimal keine deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze
    quinze seize vingt vingts trente quarante cinquante soixante cent cents mille demi uno dos tres
    cuatro cinco seis siete ocho nueve diez once doce trece catorce quince diecis\u00e9is diecisiete
    dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien
    ciento quinientos medio mil due tre quattro cinque sei sette otto nove dieci undici dodici
    tredici quattordici quindici sedici diciassette diciotto diciannove venti trenta quaranta
    cinquanta sessanta settanta ottanta novanta cento mille mezzo dois duas tr\u00eas quatro sete
    oito dez doze treze catorze dezasseis dezesseis dezassete dezessete dezoito dezanove dezenove
    vinte trinta quarenta cinquenta sessenta oitenta cem meia twee drie vijf zes zeven negen tien
    twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig dertig veertig
    vijftig zestig zeventig tachtig negentig honderd duizend \u00e9\u00e9n moiti\u00e9 h\u00e4lfte
    mitad met\u00e0 metade helft doble doppio dobro dubbele"""
)
_COUNT_NOTHING: Final = words_listed(
    """first second fourth fifth sixth each every daily weekly monthly yearly annually hourly always
    never free immer nie t\u00e4glich w\u00f6chentlich monatlich j\u00e4hrlich kostenlos gratuit
    gratis"""
)
_NUMERALS: Final = _COUNTING | _COUNT_NOTHING
_NO_NUMERALS: Final = {"en": frozenset({"due"}), "de": frozenset({"sei"})}  # Italian 2 and 6
_AT_ONCE: Final = re.compile(r"\bat once\b|\bauf einmal\b|\b\u00e0 la fois\b", re.IGNORECASE)
_ONCE: Final = re.compile(
    r"\b(?:une (?:seule )?fois|una (?:sola )?(?:vez|volta)|uma (?:s\u00f3 |\u00fanica )?vez"
    r"|e(?:e|\u00e9)n(?:maal| (?:\w+ )?(?:keer|maal)))\b",
    re.IGNORECASE,
)
"""Elsewhere the word for one is an article."""
WHOSE_KINDS_ARE_KNOWN: Final = frozenset({"en", "de", "fr", "es", "it", "pt", "nl"})
_COMPOSED_NUMBER: Final = re.compile(
    r"hundert|tausend|und(?:drei(?:\u00df|ss)ig|[a-z]+zig)|^veinti|(?:cient|cent)[oa]s$"
    r"|(?:z|nh)ent[oa]s$|honderd|duizend"
    r"|^(?:due|tre|quattro|cinque|sei|sette|otto|nove)?cento(?:un|due|tre|quat|cinq|se[it]|ott|nove"
    r"|di|do|ven|tren|quar|ses|nov)"
    r"|^(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[ai]?"
    r"(?:uno?|due|tr[e\u00e9]|quattro|cinque|sei|sette|otto|nove)$|(?:cento|mila)$|(?:en|\u00ebn)(?:twin|der|veer|vijf|zes|zeven|tach|negen)tig$"
)
"""Numbers that languages write as one word: "vierundzwanzig", "veintid\u00f3s", "trentacinque"."""
TIMES_PAY: Final = re.compile(
    r"\b(?:\d{1,2}|one|two|three|four|six|half|ein[er]*|zwei|drei|vier|sechs|une?|deux|trois|quatre|un[oa]"
    r"|dos|tres|cuatro|due|tre|quattro)\s(?:\w+['\u2019]?\s){0,2}"  # "two months' rent"
    r"(?P<pay>rents?|wages?|salar(?:y|ies)|\w*mieten?|\w*geh\u00e4lter|loyers?|salaires?|alquiler(?:es)?|salarios?"
    r"|affitti?|stipendi?)\b",
    re.IGNORECASE,
)
"""Money as a multiple of what is paid: "two months' rent"."""
_FREE: Final = (
    r"free|nothing|kostenlos|kostenfrei|(?:eintritt|teilnahme)[^.]{0,40} frei|gratuit\w*"
    r"|gr[a\u00e1]tis"
    r"|(?:no|without(?: an?y?)?) (?:extra |further |additional )?(?:costs?|charges?|fees?)"
    r"(?=\W*$|[.,;]| (?:for|to) | (?:is|are) (?:made|due|payable|charged|taken)\b)"
    r"|(?:do|does|will) not charge (?:any|extra|for|you)|not charged for"
    r"|(?:ohne|keine?) (?:kosten|geb\u00fchr(?:en)?)(?=\W*$|[.,;]| f\u00fcr | an\b)"
    r"|sans frais|sin (?:coste|cargo)|senza (?:costi|spese)|zonder kosten"
)
_NO_PRICE: Final = re.compile(rf"\b(?:{_FREE})\b", re.IGNORECASE)
_COUNTS_HUNDREDS: Final = ("deux", "trois", "quatre", "cinq", "sept", "huit", "neuf")
_CENTS: Final = (
    "".join(rf"(?<!\b{count} )" for count in _COUNTS_HUNDREDS)
    + r"cents?|c[e\u00e9\u00ea]nt[ia]m[oe]s?|centesim[oi]|centavos?"
)
"""French "deux cents" are 200."""
_CURRENCIES: Final = (
    r"\d\s?(?:z\u0142|k\u010d|\u0111|\u0111\u1ed3ng|vn\u0111|(?-i:Ft)|lei|kr|(?-i:TL)|\u0433\u0440\u043d|\u043b\u0432|\u0440)\b"
    r"|\d\s?[\u5341\u767e\u5343\u842c\u4e07\u5104\u4ebf\u513f\ucc9c\ub9cc\uc5b5]{0,2}\s?[\u5186\u5143\uc6d0]"
    r"|(?<!\u0e1a\u0e17)\u0e1a\u0e32\u0e17|\u0930\u0941\u092a[\u092f\u090f]"  # "role" ends in baht
    r"|\b\u0440\u0443\u0431(?:\u043b\w*|\b)"  # no shirt, which begins as roubles do
)
"""Feet are "ft", forints "Ft"."""
MONEY: Final = re.compile(
    rf"[{CURRENCY_SIGNS}]|{_CURRENCIES}|\b(?:euros?|eur|dollars?|usd|pounds?|gbp|francs?|franken|chf|yen|rupees?"
    rf"|kron\w+|nok|sek|dkk|{_CENTS}|charge|percent"
    r"|p(?:er|or) ?cento?|por ciento|procent|prozent|z\u0142oty|pln|pesos?|yuan|rmb|bucks"
    r"|crowns?|korun\w*|shillings?|roubles?|rubles?|rand|lira|dinars?|dirhams?|riyals?|shekels?|forints?|baht|ringgit|reais|aud|cad|nzd|sgd"
    r"|hkd|inr|cny|jpy|zar|thb|krw|mxn|brl|huf|czk|aed)\b|%"
    r"|\bcosts?\s[\d.,]+\s(?:thousand|million|billion|bn)\b"  # whatever the report counts in
    rf"|\b(?:{_FREE})\b|{TIMES_PAY.pattern}",
    re.IGNORECASE,
)
PRICE: Final = re.compile(
    r"\b(?:prices?|costs?|fees?|fares?|rates?|rents?|tariffs?|charges?|amounts?|\w{0,20}preise?|\w{0,20}kosten"
    r"|\w{0,20}geb\u00fchr(?:en)?|\w{0,20}mieten?|prix|tarifs?|montants?|loyers?|precios?|tarifas?|importes?|prezz[oi]"
    r"|tariff[ae]|import[oi]|cuotas?|quot[ae]s?|pre\u00e7os?|\w{0,20}(?:prijs|prijzen|huur|contributie|tarie(?:f|ven)))\b[^:\n\d]{0,20}:\s?\d"
    r"|\b\d{1,4}[.,]\d\d\s(?:an?|per|each|pro|je|par|al|por)\s"
    r"|\b(?:costs?|pays?|paid|(?:sells?|sold|buys?|bought)\b[^.:\n\d]{0,60}\sfor)"
    r"\s\d{1,4}[.,]\d\d(?!\d|[.,:]\d|\s?[\w%])",
    re.IGNORECASE,
)
"""What is paid, where no currency stands beside it: "Price: 149", "7.99 a month", "costs 7.99"."""
MASS: Final = re.compile(
    r"\b\d*(?:kg|g|mg|lbs?|oz|kilos?|kilo?gramm?s?|gramm?s?|tons?|tonnes?|tonnen?|pounds?|ounces?"
    r"|stone|cwt|kilogramos|kilogrammes)\b",
    re.IGNORECASE,
)
_PRESSURE: Final = re.compile(
    r"\b\d*(?:[hkm]?pa|m?bar|(?:kilo|mega)?pascals?|psi|atm|atmospheres?)\b", re.IGNORECASE
)
LENGTH: Final = re.compile(
    r"\d\s?(?:m|in|mi)\b|\((?:m|in|mi)\)"  # "in winter" is no length
    r"|\b\d*+(?:mm|cm|km|ft|\w*met(?:er|re)n?s?|feet|foot|inch(?:es)?|miles?"
    r"|yards?|fathoms?|stor(?:e?ys?|ies)|floors?|metros?|m\u00e8tres?|metr[oi])\b",
    re.IGNORECASE,
)
_A_WEEKDAY: Final = "|".join(WEEKDAYS)
_GERMAN_TIME: Final = (
    r"(?:mitternacht|morgen|mittag|nachmittag|abend|nacht|fr\u00fchling|fr\u00fchjahr|sommer|herbst|jahr"
    r"|monat|woche|tag|stunde|weihnacht|quartal)(?:e?[ns]?|er)"
    r"(?:anfang|beginn|drittel|ende|ferien|h\u00e4lfte|mitte|pause|tag|wechsel|zeit)?e?[ns]?"
    r"|\w{3,20}(?:ferien|jahre?s?|monate?s?|n\u00e4chte?|wochen?|(?<!mon)(?<!repor)tage?s?)n?"
)
"""And what begins or ends with one of them: the Jahresende is a time, a Jahrmarkt is none."""
TIME: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(MONTHS))}|(?-i:May|MAY)|{_A_WEEKDAY}"
    r"|noon|midnight|morning|afternoon|evening|night|daily|weekly|monthly|annual\w*|yearly"
    r"|holidays?|weekends?|weekdays?|today|tomorrow|yesterday|immediately|always|never|before|after"
    r"|until|till|during|while|when|whenever|if|unless|once|upon|within|soon|spring|summer|autumn|fall"
    r"|winter|season|quarter|century|year|month|day|hour|minute|time|easter|christmas|end"
    r"|beginning|start|every|each|o'clock"
    r"|sunrise|sunset|dawn|dusk|receipt|fortnight"
    r"|(?:day|night|lunch|dinner|tea|bed|break|term)time"
    r"|in (?:(?:strong|high|heavy|bad|poor|good|fine|thick|dense|severe) )?"
    r"(?:wind|storm|rain|snow|fog|frost|weather|bad light|heat|emergency|emergencies|case)"
    rf"|{_GERMAN_TIME}|uhr|(?:bei|nach|mit|ab) (?:erhalt|empfang|eingang)"
    r"|sonnen(?:auf|unter)gang\w*|d\u00e4mmerung|t\u00e4glich|w\u00f6chentlich|monatlich|j\u00e4hrlich|vor|nach|bis"
    r"|w\u00e4hrend|wenn|sobald|sofort|ende|anfang|ab"
    r"|seit|heute|ostern"
    r"|matin|midi|minuit|apr\u00e8s-midi|soir|nuit|ann\u00e9e|mois|semaine|jour\w*|heures?|avant|apr\u00e8s|d\u00e8s"
    r"|lorsque?|pendant|printemps|(?:en |l['\u2019]|cet )\u00e9t\u00e9|automne|hiver|demain"
    r"|toujours|jamais|chaque|fin|d\u00e9but|p\u00e2ques|no\u00ebl|toussaint|pentec\u00f4te|trimestre"
    r"|(?:lever|coucher) du soleil|aube|cr\u00e9puscule|r\u00e9ception de"
    r"|mediod\u00eda|medianoche|ma\u00f1anas?|tardes?|noches?|a\u00f1os?|mes|semanas?|d\u00edas?|horas?|antes"
    r"|despu\u00e9s|cuando|durante|anochecer|amanecer|atardecer|semana santa|primavera|verano"
    r"|oto\u00f1o|invierno|hoy|siempre|nunca|cada"
    r"|mezzogiorno|mezzanotte|mattin\w+|pomeriggi\w*|sera|notte|ann[oi]|mes[ei]|settiman[ae]|giorn\w*|or[ae]"
    r"|prima|dopo|quando|mentre|(?:in |d['\u2019]|l['\u2019])estate|autunno|inverno|oggi|domani"
    r"|sempre|ogni|alba|tramonto|pasqua|natale"
    r"|manh\u00e3s?|noites?|anos?|m\u00eas|meses|dias?|depois|ver\u00e3o|outono|hoje|amanh\u00e3"
    r"|(?:\u00e0s?|nas?|das?)\s(?:segunda|ter\u00e7a|quarta|quinta|sexta)s?|manh\u00e3s?|tarde"
    r"|madrugada|cedo|p\u00e1scoa|n\u00e3o antes|quando"
    r"|ochtends?|avonds|middags?|pasen|kerst\w*|voorjaar|najaar|nadat|voordat"
    r"|avond|\w{0,12}dag(?:en)?|\w{0,12}week|zons(?:op|onder)gang|weken|maand(?:en)?"
    r"|ja(?:ar|ren)|uur|uren|kwartaal|zomer|herfst"
    r"|dagelijks|wekelijks|maandelijks|jaarlijks|tijdens|zodra|wanneer|vandaag|altijd|nooit|binnen|uiterlijk"
    r"|siete|ocho|nueve|dix|onze|sei|sette)\b",
    re.IGNORECASE,
)
_ANS: Final = r"ans|(?<=\d )an|(?<=\bun )an"  # "an" is an article elsewhere
_BY_TIME: Final = (
    r"quotidi(?:e|a)n\w*|hebdomadaire\w*|mensuel\w*|annuel\w*|diari\w+|semana(?:l|is|le)\w*|mensual\w*|mensais"
    r"|mensal\w*|an(?:n)?ua(?:l|is)\w*|giornalier\w+|settimanal\w+|mensil\w*|(?:dage|weke|maande|jaar)lijks\w*"
)
"""What comes, or lasts, a day, a week, a month or a year."""
_GERMAN_SPANS: Final = (
    r"(?:sekunden?|minuten?|stunden?|tag(?:e[ns]?|s)?|wochen?|monat(?:e[ns]?|s)?|jahr(?:e[ns]?|s)?)"
)
_SPANS: Final = (
    r"seconds?|minutes?|hours?|days?|weeks?|months?|years?"
    rf"|heures?|jours?|semaines?|mois|{_ANS}|segundos?|minutos?|horas?|semanas?|m[e\u00ea]s(?:es)?"
    r"|seconden|uur|uren|dag(?:en)?|we(?:ek|ken)|maand(?:en)?|ja(?:ar|ren)"
    r"|secondi|minuti|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]"
)
SPAN: Final = re.compile(
    rf"(?:\b|\d)(?:{_SPANS}|{_GERMAN_SPANS}|h|hrs?|mins?|secs?|nights?|weekends?"
    r"|overnight|quarters?|decades?|until|till|through|forever|permanent\w*|always|indefinite\w*|lifetime"
    r"|since|bis|dauer\w*|ann\u00e9es?|d[i\u00ed]as?|a[n\u00f1]os?|hasta|fino|at\u00e9|tot|onbepaalde|indefinid\w*"
    rf"|ind\u00e9termin\u00e9\w*|indeterminat\w*|{_BY_TIME})\b",
    re.IGNORECASE,
)
_TIMES: Final = rf"{_SPANS}|\w{{0,20}}{_GERMAN_SPANS}|d[i\u00ed]as?|a[n\u00f1]os?"
_OTHER_UNITS: Final = (
    rf"euros?|dollars?|pounds?|francs?|franken|crowns?|{_CENTS}|[{CURRENCY_SIGNS}]|%|per ?cent"
    r"|prozent|times?"
    r"|kg|\w{0,20}gramm?e?s?|ton(?:ne)?s?|tonnen|[cmk]?m|\w{0,20}met(?:er|re)n?s?|miles?|feet|inch(?:es)?"
    r"|degrees?|grad|degr[e\u00e9]s?|grados?|gradi|graus?|graden|\w{0,20}lit(?:er|re)s?|litr[io]s?"
    r"|metr[io]s?|mal|fois|veces|volte|vezes|keer"
)
_WORD_BEFORE: Final = (
    r"\b(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:,\d{1,2})?"
    r"|[^\W_]{1,30}(?:[-.,][^\W_]{1,30}){0,3})[\s-]?"
)
"""Or a French number, "6 800". Bounded: without, a word of 600 letters took five seconds."""
_UNITS: Final = f"{_TIMES}|{_OTHER_UNITS}"
UNIT: Final = re.compile(_UNITS)
UNIT_OF_TIME: Final = re.compile(_TIMES)
NUMBER_OF_TIME: Final = re.compile(rf"{_WORD_BEFORE}\b(?:{_TIMES})\b", re.IGNORECASE)
NUMBER_OF_UNITS: Final = re.compile(rf"{_WORD_BEFORE}(?:{_UNITS})(?!\w)", re.IGNORECASE)
"""A number with its unit: 35 degrees count no eggs."""
NUMBER_OF_OTHER_UNITS: Final = re.compile(rf"{_WORD_BEFORE}(?:{_OTHER_UNITS})(?!\w)", re.IGNORECASE)
"""15 euros an hour count no hours."""
TELEPHONE: Final = re.compile(
    r"(?<!\d)(?!\d\d?[/-]\d\d?[/-]\d|\d{4}\s?-\s?\d{4}(?!\d))(?:\+\d|0)[\d ()/-]{5,20}\d"
)
"""And its number is neither an hour nor a day."""
WHEN: Final = re.compile(
    r"\b(?:on|in|at|from|to|by|since|am|im|um|von|bis|en|\u00e0|el|il|nel|di|em|at\u00e9|aos?|desde|hasta|dal|entro"
    r"|op|vanaf|tot|voor)\s+(?:de\s+|il\s+|el\s+|o\s+)?"
    rf"(?:the\s+|early\s+|late\s+)?"
    rf"(?:{'|'.join(sorted(MONTHS))}|may|{_A_WEEKDAY}|(?:19|20)\d\d|\d{{1,2}}[.:]\d\d|morning|afternoon|evening"
    r"|night|noon|midnight|spring|summer|autumn|winter|morgen|abend|sommer|herbst|fr\u00fchjahr"
    r"|matin|soir|ma\u00f1ana|mattina|sera)s?\b",
    re.IGNORECASE,
)
_A_MONTH: Final = rf"{'|'.join(sorted(MONTHS))}|may"
_DAY: Final = re.compile(
    rf"\b(?:{_A_WEEKDAY})s?\b|\b\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{2,4}}"
    rf"|(?:\b\d{{1,2}}(?:st|nd|rd|th|er|\.|\u00ba)?\s(?:of\s|de\s)?(?:{_A_MONTH})\b"
    rf"|\b(?:{_A_MONTH})\b(?:\s\d{{1,2}}(?:st|nd|rd|th)?\b(?![:.]\d|\s?(?:[ap]\.?m|h|uhr)\b))?)"
    rf"(?:,?\s(?:del?\s)?{YEAR.pattern}\b)?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b(?:in|en|im|since|seit)\s{YEAR.pattern}\b",
    re.IGNORECASE,
)
_JOINED_HOUR: Final = re.compile(r"(?<=\d)(?=(?:[ap]\.?m|h)\b)", re.IGNORECASE)
_NAME_AMID: Final = re.compile(r"(?:(?<=[^\W_]\s)|(?<=[^\W_],\s))[A-Z\u00c0-\u00de]")
_NAME_IN_GERMAN: Final = re.compile(r"(?:\b(?:ist|sind)|:)\s[A-Z\u00c4\u00d6\u00dc]")
"""Elsewhere a German capital is that of a noun, which is a place's or a thing's."""
_PLACE: Final = re.compile(
    r"@|\bwww\.|\d|(?<!\S)/\w"
    r"|\b(?:in|into|inside|at|on|onto|behind|beside|under|underneath|beneath|above|below|over|near"
    r"|nearby|next to|opposite|between|among|outside|to|from|through|along|around|across"
    r"|within (?:the|an?|this|our)(?! (?:next|first|last|same|\w*day|week|month|year|time|period))"
    r"|by the|off|up|online|indoors|outdoors|upstairs|downstairs|here|there|home|abroad|everywhere"
    r"|anywhere|nowhere"
    r"|room|hall|floor|shel(?:f|ves)|drawer|cupboard|cabinet|office|desk|counter|street|road|building|gate"
    r"|door|entrance|exit|lobby|garden|yard|kitchen|cellar|attic|roof|address|box"
    r"|\w*(?:raum|zimmer|saal|halle|keller|hof|haus|platz|b\u00fcro|schrank|regal|garten|weg"
    r"|stra(?:\u00df|ss)e|eingang|ausgang|t\u00fcr|stock|etage|geb\u00e4ude)"
    r"|an (?:de[mnr]|eine[mr]?)|ins"
    r"|im|am|auf|aufs|unter|\u00fcber|neben|hinter|vor|zwischen|bei|beim|zu"
    r"|zu[mr]|aus|nach|gegen\u00fcber"
    r"|links|rechts|oben|unten|hier|dort|drau(?:\u00df|ss)en|drinnen"
    r"|\u00e0|aux?|en|dans|sur|sous|derri\u00e8re|devant|chez|pr\u00e8s|c\u00f4t\u00e9|entre|ici|l\u00e0"
    r"|al|sobre|bajo|detr\u00e1s|junto|cerca|aqu\u00ed|all\u00ed|fuera|dentro"
    r"|ne[li]|nell[aeo']|negli|all[aeo']|ai|agli|su[li]?|sull[aeo']|sotto|dietro|davanti|presso|vicino|accanto"
    r"|tra|fra|da[li]?|dall[aeo']|qui|l\u00ec|fuori)\b",
    re.IGNORECASE,
)
"""What says where, a place's name among it; "on Fridays" does not, nor does "for ninety days"."""
_PLACE_IN: Final = {
    "pt": re.compile(
        r"\b(?:em|n[oa]s?|numa?s?|aos?|\u00e0s?|junto|perto|atr\u00e1s|debaixo|acima|sob|ali|l\u00e1|casa)\b",
        re.IGNORECASE,
    ),
    "nl": re.compile(
        r"\b(?:op|bij|naast|achter|voor|onder|boven|tegenover|naar|via|aan|langs|binnen|buiten|thuis|tussen"
        r"|daar|beneden)\b",
        re.IGNORECASE,
    ),
}
"""By words that say "no" or "open" elsewhere."""
_NO_PLACE: Final = re.compile(
    r"\b(?:at the (?:end|beginning|start|latest|earliest|moment|same time)"
    r"|at (?:least|most|once|any time)|in (?:advance|writing|cash|total|time)"
    rf"|\w+ (?:euros?|dollars?|pounds?|francs?))\b|[{CURRENCY_SIGNS}]\s?[\d.,]+"
    rf"|[\d.,]+\s?[{CURRENCY_SIGNS}]",
    re.IGNORECASE,
)
_DIMENSIONS: Final = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        r"tall|high|height|hoch|hohe[rnms]?|h\u00f6he",
        r"wide|width|broad|breadth|breite?[rnms]?",
        r"deep|depth|tiefe?[rnms]?",
        r"long|length|lange?[rnms]?|l\u00e4nge",
        r"thick|thickness|dicke?[rnms]?",
        r"far|distance|away|weit|entfernt|entfernung",
    )
)
_ASKS_DIMENSION: Final = re.compile(
    r"\bhow\s+(?!long (?:do|does|did|will|may|can|must|should|has|have)\b)(\w+)"
    r"|\bwie\s+(?!lange\b)(\w+)",
    re.IGNORECASE,
)
"""How long something takes is no dimension."""
COLOUR: Final = re.compile(
    r"\b(?:red|green|blue|yellow|black|white|gr[ae]y|brown|orange|purple|violet|pink|silver\w*|gold\w*"
    r"|beige|khaki|teal|cream|maroon|turquoise|crimson|scarlet|colou?r\w*|rot(?:e[nrms]?)?|gr\u00fcn\w*|blau\w*|gelb\w*|schwarz\w*"
    r"|wei(?:\u00df|ss)\w*|grau\w*|braun\w*|anthrazit\w*|lila|rosa|t\u00fcrkis|farb\w*|rouges?|verte?s?|bleue?s?|jaunes?"
    r"|noire?s?|blanc\w*|bruns?|roj[oa]s?|verdes?|azul\w*|granates?|amarill[oa]s?|negr[oa]s?|gris\w*"
    r"|marr[o\u00f3]n|naranjas?|morad[oa]s?|ross[oaie]|verd[ei]|blu|giall[oaie]|ner[oaie]|bianc\w*|grigi[oae]|azzurr[oaie]"
    r"|arancion[ei]|vermelh[oa]s?|amarel[oa]s?|pret[oa]s?|branc[oa]s?|cinzent[oa]s?|castanh[oa]s?|laranja|rox[oa]s?"
    r"|rood|rode|groene?|blauwe?|geel|gele|zwarte?|wit(?:te)?|grij(?:s|ze)|bruine?|oranje|paarse?)\b",
    re.IGNORECASE,
)
DEGREES: Final = re.compile(
    r"\u00b0|\d\s?(?-i:[CFK])\b"
    r"|\b(?:degrees?|grad|degr\u00e9s?|grados?|gradi|graus?|graden|celsius|fahrenheit|kelvin)\b",
    re.IGNORECASE,
)
LOUDNESS: Final = re.compile(r"\bdb\b|\b(?:decibels?|dezibel|phons?)\b", re.IGNORECASE)
SPEED: Final = re.compile(
    r"\b\d*\s?(?:km/h|kph|mph|m/s|rpm|knots?|knoten|kn|mbit|gbit|mbps|gbps|kilomet\w+|miles?|hz|[gm]hz"
    r"|revolutions?|umdrehungen|per (?:second|minute|hour)|an hour|a minute|a second)\b",
    re.IGNORECASE,
)
_METRES: Final = r"(?:kil[o\u00f3]|cent[i\u00ed]|mill?[i\u00ed])?m[e\u00e8]t(?:er|re|ro|ri)[sn]?"
UNITS: Final = (
    (
        re.compile(
            r"(?:kilo|milli)?gram(?:me?|m)?[ens]*|tons?|tonnes?|pounds?|kilos?"
            r"|weigh(?:s|t|ts)?|wiegt|wiegen|gewicht|poids|p\u00e8se|peso|pesa"
        ),
        MASS,
    ),
    (re.compile(rf"{_METRES}|feet|foot|inch(?:es)?|miles?"), LENGTH),
    (re.compile(r"pressures?|druck|pression|presi\u00f3n|pressione"), _PRESSURE),
    (re.compile(r"euros?|dollars?|pounds?|money|geld|geb\u00fchr"), MONEY),
    (
        re.compile(
            r"degrees?|grad|degr\u00e9s|grados|temperatu+r\w*|temp\u00e9rature|hot|cold|warm|hei(?:\u00df|ss)|kalt"
        ),
        DEGREES,
    ),
    (re.compile(r"speed|geschwindigkeit|vitesse|velocidad"), SPEED),
    (
        re.compile(r"hours?|minutes?|(?:milli)?seconds?|stunden?|minuten?|(?:milli)?sekunden?"),
        re.compile(r"\d\s?(?:h|hrs?|mins?|m?s|secs?|sek|std)\b|\d:\d\d"),
    ),
    (re.compile(r"lit(?:er|re)s?"), re.compile(r"\d\s?(?:l|ml|dl|cl)\b", re.IGNORECASE)),
    # Whose letters have their size, unlike a room's: "45 W", "30 mA", "500 GB".
    (
        re.compile(
            r"(?:kilo|mega|milli)?watts?(?:-?hours?|stunden?)?|power|leistung\w*|puissance|potencia|potenza"
        ),
        re.compile(r"\d\s?[kMm]?Wh?\b"),
    ),
    (
        re.compile(r"(?:kilo|milli)?volts?|voltage|spannung|tension|tensi\u00f3n|tensione"),
        re.compile(r"\d\s?[km]?V\b"),
    ),
    (re.compile(r"(?:milli)?amp(?:[e\u00e8]re)?s?"), re.compile(r"\d\s?m?A\b")),
    (re.compile(r"(?:kilo|mega|giga)?hertz|frequency|frequenz"), re.compile(r"\d\s?[kMG]?Hz\b")),
    (re.compile(r"(?:kilo|mega|giga|tera)?bytes?"), re.compile(r"\d\s?(?:[KkMGT]i?)?B\b")),
    (
        re.compile(
            rf"square|quadrat\w*|carr\u00e9s|cuadrados|quadr(?:ad)?[oi]s?|vierkante|{_METRES}"
        ),
        re.compile(r"\d\s?(?:[ck]?m[\u00b22]\b|sq\.?\s?(?:m|ft)\b|sqm\b|qm\b)"),
    ),
    (
        re.compile(rf"cubic|kubik\w*|cubes|c\u00fabicos|cubi|volumes?n?|{_METRES}"),
        re.compile(r"\d\s?(?:[cd]?m[\u00b33]\b|cbm\b|ccm\b)"),
    ),
    (
        re.compile(r"persons?|people|personen|leute"),
        re.compile(r"\bpersons?\b|\bpeople\b|\bpersonen\b|\bseats?\b", re.IGNORECASE),
    ),
)
"""Words for units and for what is measured in them, and how a sentence may give them."""
_REFERENCE: Final = re.compile(
    r"\b(?:see|refer to|siehe|vgl\.|voir|voyez|cf\.|v\u00e9ase|vedi)\s+(?:\w+\s+){0,3}?"
    r"(?:sections?|chapters?|pages?|pp?\.|figures?|fig\.|tables?|notes?|appendix|annex|items?|steps?"
    r"|abschnitte?|kapitel|seiten?|s\.|abb(?:\.|ildung)|tabelle|anhang|chapitres?|paragraphes?"
    r"|secci\u00f3n|cap\u00edtulo|p\u00e1ginas?|sezione|capitolo|pagin[ae])\s*\d+(?:[.\u2013-]\d+)*",
    re.IGNORECASE,
)
"""Where to read on: its number counts nothing."""
_SHORT_FOR: Final = re.compile(
    r"\b(?:abbreviat\w+|acronyms?|initialisms?|stands? for|short for"
    r"|abk\u00fcrzung|kurz f\u00fcr|steh(?:t|en) f\u00fcr"
    r"|abr\u00e9viation|sigle|acronyme|abreviatura|siglas?|acr\u00f3nimo|abbreviazione)\b",
    re.IGNORECASE,
)


_OPENS_OR_CLOSES: Final = re.compile(
    r"clos(?:es?|ing)|shuts?|(?:ge)?\u00f6ffnen?t?|offen|schlie(?:\u00df|ss)(?:t|en)|ferme(?:nt)?|ouvre(?:nt)?"
    r"|ouverte?s?|cierran?|abren?|abiert[oa]s?|chiud(?:e|ono)|apr(?:e|ono)|apert[oaie]"
    r"|fecham?|encerram?|abert[oa]s?|sluit(?:en)?|opent"
)
HOURS: Final = re.compile(
    r"\b\d{1,2}(?:[:.h]\d\d)?\s?(?:h|uhr|[ap]\.?m\.?)?\s?"
    r"(?:-|\u2013|to|until|bis|\u00e0|a(?:\slas)?|alle|[\u00e0a]s|at\u00e9|tot)\s?"
    r"\d{1,2}(?:[:.h]\d\d\b|\s?(?:h|uhr|[ap]\.?m)\b)",
    re.IGNORECASE,
)
_HOW_OFTEN: Final = re.compile(
    r"\b(?:\w{0,20}(?:st\u00fcnd|t\u00e4g|w\u00f6chent|monat|j\u00e4hr)lich\w{0,2}|jede[mnrs]?"
    r"|each|every|quarterly|fortnightly|chaque|tou(?:te)?s les|cada|tod[ao]s l[ao]s"
    r"|tod[ao]s [ao]s|ogni|tutt[ei] (?:i|gli|le)|elke?|ieder[e]?"
    rf"|{_BY_TIME})\b",
    re.IGNORECASE,
)


_CHINESE: Final = re.compile(f"[{HIRAGANA}{CHINESE}]")
_SIGN: Final = (
    r"[\d\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u767e\u5343\u4e24\u534a]\s?"
)
_COUNTERS: Final = (
    (  # money, or a share of it, or none
        re.compile(r"\u3044\u304f\u3089|\u591a\u5c11(?:\u94b1|\u5143)"),
        re.compile(
            r"[\u5186\u5143\u5757\u584a\u89d2\u6bdb\u94b1\uffe5\u00a5%]|\u7121\u6599|\u514d[\u8d39\u8cbb]|\u534a[\u984d\u4ef7]|\d\s?[\u5272\u6298]"
        ),
    ),
    *(
        (
            re.compile(rf"(?:\u4f55|[\u51e0\u5e7e]|\u591a\u5c11)\s?[{counters}]"),
            re.compile(rf"{_SIGN}[{counters}]"),
        )
        for counters in (
            "\u4eba\u540d\u4f4d",  # people
            "\u53f0",  # machines
            "\u672c\u518c\u518a",  # books
            "\u679a\u5f20",  # sheets
            "\u6b72\u5c81\u624d",  # years of age
            "\u968e\u5c42\u697c",  # floors
            "\u56de\u6b21",  # times
        )
    ),
)
"""How many of a thing is asked and said with its own sign behind the number."""


def says_how_often(text: str) -> bool:
    """Say whether a text says how often: three times, daily, or every hour in any language."""
    return _HOW_OFTEN.search(text) is not None or has_number(text)


def is_told_by_hours(word: str, text: str) -> bool:
    """Say whether a text says from when to when, and a word that something opens or closes then."""
    return _OPENS_OR_CLOSES.fullmatch(word) is not None and HOURS.search(text) is not None


def lacks_counter(question: str, text: str) -> bool:
    """Say whether a Chinese or Japanese text has no number of what is counted.

    Who asks for \u4f55\u4eba gets a number of \u540d, not one of \u6b73.
    """
    if _CHINESE.search(text) is None:
        return False
    asked = (has for asks, has in _COUNTERS if asks.search(question))
    return any(has.search(text) is None for has in asked)


def has_number(text: str) -> bool:
    """Say whether a text has a number, in figures or in words.

    The 7 of a code "E7" is none, nor is that of "see section 7".
    """
    numerals = _numerals_in(text, _NUMERALS)
    return _ONCE.search(text) is not None or any(
        _is_number(word, numerals) for word in WORD.findall(_REFERENCE.sub(" ", text))
    )


def without_days(text: str) -> str:
    """Return a text without dates, weekdays and years: what is left may say at what time."""
    return _JOINED_HOUR.sub(" ", _DAY.sub(" ", text))


def is_free(text: str) -> bool:
    """Say whether a text says that something costs nothing."""
    return _NO_PRICE.search(text) is not None


def counts(text: str) -> bool:
    """Say whether a text has a number that counts things: not the first, nor every one."""
    told = _AT_ONCE.sub(" ", _REFERENCE.sub(" ", text))
    return bool(numbers_that_count(told)) or _ONCE.search(told) is not None


def numbers_that_count(text: str) -> frozenset[str]:
    """Return the numbers that count things, in figures or in words, in small letters."""
    numerals = _numerals_in(text, _COUNTING)
    return frozenset(word.lower() for word in WORD.findall(text) if _is_number(word, numerals))


def _numerals_in(text: str, numerals: frozenset[str]) -> frozenset[str]:
    """Return numerals without what is a word like others in the language of a text."""
    return numerals - _NO_NUMERALS.get(language_of(text) or "", frozenset())


def _is_number(word: str, numerals: Container[str]) -> bool:
    parts = PART.findall(word.lower())
    return word[0].isdigit() or any(
        part in numerals or _COMPOSED_NUMBER.search(part) for part in parts
    )


def spells_out(letters: str, text: str) -> bool:
    """Say whether words that stand together begin with these letters: "NATO" or "CO", at length.

    A small word may stand between them: "point of sale". A text may also say that it does: not all
    letters are first ones, "DXF" is short for "data exchange file".
    """
    between = r"[\W_]+(?:[^\W_]{1,3}[\W_]+)?"
    words = between.join(rf"{letter}[^\W_]+" for letter in letters)
    is_so_called = _SHORT_FOR.search(text) is not None and letters.lower() in text.lower()
    return is_so_called or re.search(rf"\b{words}", text, re.IGNORECASE) is not None


def has_place(own: str) -> bool:
    """Say whether a text says where: "at the end", "at least" and "20 pounds" do not."""
    told = reduce(lambda text, one: one.sub(" ", text), (WHEN, _NO_PLACE, NUMBER_OF_TIME), own)
    name = _NAME_IN_GERMAN if language_of(own) == "de" else _NAME_AMID
    in_its_words = _PLACE_IN.get(language_of(own) or "", _PLACE)
    return any(one.search(told) is not None for one in (_PLACE, in_its_words, name))


def measures_otherwise(question: str, text: str) -> bool:
    """Say whether a text gives another dimension than is asked for: how wide, not how long."""
    asked = _ASKS_DIMENSION.search(question)
    wanted = [each for each in _DIMENSIONS if asked and each.fullmatch(asked[1] or asked[2])]
    given = [each for each in _DIMENSIONS if each.search(text)]
    return bool(wanted and given) and wanted[0] not in given and LENGTH.search(text) is not None
