"""What says when, how long and how often."""

import re
from typing import Final

from pulsedocs.answering.asked.things.numbers import WORD_BEFORE, has_number
from pulsedocs.model.calendar_names import MONTHS, WEEKDAYS
from pulsedocs.model.years import YEAR

_A_WEEKDAY: Final = "|".join(WEEKDAYS)
_GERMAN_TIME: Final = (
    r"(?:mitternacht|morgen|mittag|nachmittag|abend|nacht|fr\u00fchling|fr\u00fchjahr|sommer|herbst|jahr"
    r"|monat|woche|tag|stunde|weihnacht|quartal)(?:e?[ns]?|er)"
    r"(?:anfang|beginn|drittel|ende|ferien|h\u00e4lfte|mitte|pause|tag|wechsel|zeit)?e?[ns]?"
    r"|\w{3,20}(?:ferien|jahre?s?|monate?s?|n\u00e4chte?|wochen?|(?<!mon)(?<!repor)tage?s?)n?"
)
"""And what begins or ends with one of them: the Jahresende is a time, a Jahrmarkt is none."""
_IN_WEATHER: Final = (
    r"in (?:(?:the|strong|high|heavy|bad|poor|good|fine|thick|dense|severe|\w+y) )?"
    r"(?:winds?|storms?|rain|snow|ice|fog|frost|weather|bad light|heat|emergency|emergencies|case"
    r"|event)|bei (?:\w+(?:em|er) )?(?:sturm|wind|regen|schnee\w*|eis|glatteis|nebel|frost|gewitter"
    r"|unwetter|hitze|k\u00e4lte|wetter|\w+wetter|hochwasser|gl\u00e4tte|gefahr|bedarf|krankheit)"
    r"|im (?:not)?fall\w*|par (?:(?:mauvais|beau|grand|gros) )?(?:temps|vent|froid)|en cas|en caso"
    r"|in caso|(?:con|com|per) (?:(?:el|la|o|a|il|mal|mau) )?(?:tiempo|tempo|tormenta|tempestade"
    r"|lluvia|chuva|pioggia|viento|vento|nieve|neve|niebla|nebbia|temporale)"
)
"""What is done or not done in a storm, "bei Regen", "con mal tiempo", is done when there is one."""
TIME: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(MONTHS))}|(?-i:May|MAY)|{_A_WEEKDAY}"
    r"|noon|midnight|morning|afternoon|evening|night|daily|weekly|monthly|annual\w*|yearly"
    r"|holidays?|weekends?|weekdays?|today|tomorrow|yesterday|immediately|always|never|before|after"
    r"|until|till|during|while|when|whenever|if|unless|once|upon|within|soon|spring|summer|autumn|fall"
    r"|winter|season|quarter|century|year|month|day|hour|minute|time|easter|christmas|end"
    r"|beginning|start|every|each|o'clock"
    r"|sunrise|sunset|dawn|dusk|receipt|fortnight"
    r"|(?:day|night|lunch|dinner|tea|bed|break|term)time"
    rf"|{_IN_WEATHER}"
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
TIMES: Final = rf"{_SPANS}|\w{{0,20}}{_GERMAN_SPANS}|d[i\u00ed]as?|a[n\u00f1]os?"
UNIT_OF_TIME: Final = re.compile(TIMES)
NUMBER_OF_TIME: Final = re.compile(rf"{WORD_BEFORE}\b(?:{TIMES})\b", re.IGNORECASE)
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


def says_how_often(text: str) -> bool:
    """Say whether a text says how often: three times, daily, or every hour in any language."""
    return _HOW_OFTEN.search(text) is not None or has_number(text)


def is_told_by_hours(word: str, text: str) -> bool:
    """Say whether a text says from when to when, and a word that something opens or closes then."""
    return _OPENS_OR_CLOSES.fullmatch(word) is not None and HOURS.search(text) is not None


def without_days(text: str) -> str:
    """Return a text without dates, weekdays and years: what is left may say at what time."""
    return _JOINED_HOUR.sub(" ", _DAY.sub(" ", text))
