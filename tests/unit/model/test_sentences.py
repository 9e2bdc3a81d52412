"""Where sentences end: the rule that chunking and answering share."""

from itertools import pairwise

import pytest

from pulsedocs.model.sentences import sentence_ends


def split(text: str) -> list[str]:
    ends = [0, *sentence_ends(text), len(text)]
    parts = (text[start:end].strip() for start, end in pairwise(ends))
    return [part for part in parts if part]


WHOLE = (
    "Borealis Inc. Annual Report was filed.",
    "It is owned by Halden Corp. Oslo and Lind Ltd. Bergen.",
    "Under 15 U.S.C. \u00a7 78m the issuer reports.",
    "See 29 C.F.R. Part 1910 for the rest.",
    "The U.S. Government pays the fee.",
    "The max. Weight of a load is 40 kg at min. 5 degrees.",
    "Order part No. A-12 or No. 7, vol. II or Fig. 3.",
    "The seal kit (part no. SK 118/4) is replaced; the filter is no. TS-22, the hose no. AB/7.",
    "Die Dichtung, Bestell-Nr. AB 12, und der Filter, Art. Nr. TS-22, sind neu.",
    "A 31. \u00a7 (2) szerint jár.",
    "The meeting is on 3.\nMärz im Rathaus.",
    "The meeting is on 3. M\u00e4rz im Rathaus.",
    "Am 12. Januar und im 19. Jahrhundert war es anders.",
    "Die 2. Auflage erschien am 1. Mai.",
    "Obst, z. B. \u00c4pfel und Birnen, d. h. Kernobst, ist frei.",
    "Haustiere, z.B. Hunde, sind erlaubt.",
    "Laut \u00a7 3 Abs. 2 Nr. 4 und Art. 5 gilt das nicht.",
    "Es kostet ca. 30 Euro bzw. Zinsen.",
    "Prof. Dr. A. B. Lindqvist and J. R. R. Berg signed.",
    "[1] P. R. Needham and S. Berg, A net for streams, 1928.",
    "The pump holds 3.5 litres and costs 1.200,50 Euro.",
    "Call Tel. 030 1234 or Ext. 55 before Dec. 24.",
    "M. Dupont, p. ex. Paul, habite av. J.-C. Lyon.",
    "The paper by Strand et al. (2019) says so.",
    "At 9 a.m. Monday the gate opens.",
    "Version v. 2 of Mr. St. John is older.",
    "6.1. Scope of this manual",
    "In 1990 V. Strand and in 1991 J. Berg signed case 12 v. Halden.",
    "Laut \u00a7 12 s. 3 gilt das nicht.",
    "The counters 1, 2, ... 10 and 0.5 \u2026 0.9 are free.",
    "Anna f. Berg lives in Brzeg n. Odr\u0105 by the quay.",
    "Built in the year 40 n. Chr. and in Rome, e. g. Ostia, by R. j. Berg.",
    "The case Halden V. Oslo and the case Lind v. Berg are old.",
    "Type cp [OPTION]... SOURCE... FOLDER to copy.",
    "Das B\u00fcro ist in der Goethestr. 5 in Leipzig.",
    "Biuro mie\u015bci si\u0119 przy ul. D\u0142ugiej 5.",
    "Wyk\u0142ad wyg\u0142osi dr hab. in\u017c. Anna Nowak, tel. Biura 22 123.",
    "Kancel\u00e1\u0159 s\u00eddl\u00ed na n\u00e1m. M\u00edru 5, smlouva \u010d. A12.",
    "Офис: ул. Ленина 5, кв. 12, тел. 8 800, см. Приложение 2.",
    "\u039a\u03b1\u03bb\u03ad\u03c3\u03c4\u03b5 \u03c4\u03b7\u03bb. 210 123, \u03b1\u03c1. 5.",
    "\u0921\u0949. \u0936\u0930\u094d\u092e\u093e \u0906\u090f\u0964",
    "Tr\u1ee5 s\u1edf t\u1ea1i Q. 1, TP. H\u1ed3 Ch\u00ed Minh.",
    "Adres: Atat\u00fcrk Cad. No. 5, G\u00fcl Sok. No: 3, Genel Md. Ahmet.",
    "Sediul este pe str. Lung\u0103, bd. Unirii, bl. A2, km. 5.",
    "Lleve p.ej. Manzanas a la D\u00aa. Mar\u00eda.",
    "Il Sig. Rossi, l'Avv. Verdi e il Dott. Bianchi.",
    "Tolls of the lock . . . . 7,012 6,944",
    "W XIX w. Polska nie istniała.",
    "FIG. 3 shows what MR. Lind of ACME INC. Oslo and PROF. DR. BERG drew.",
    "Pledges (note 4) . . . . 5",
    "V. The rules of the lock",
    "b. The fee of the lock",
    "2.1 Tolls. . . . 7 Locks.. .. 8 Weirs . . . . $(44)",
)


@pytest.mark.parametrize("text", WHOLE)
def test_an_abbreviation_an_initial_or_a_date_ends_no_sentence(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It belongs to Borealis Inc.", "The company is old."),
        ("He moved to the U.S.", "In 2019 he came back."),
        ("Bring towels, soap, etc.", "The pool is open."),
        ("Set the dial to max.", "Then wait."),
        ("The answer is no.", "We regret it."),
        ("Choose plan B.", "It is cheaper."),
        ("It rose to 45.", "Members paid."),
        ("The answer is no.", "Then leave at once."),
        ("The answer is no.", "AB is the other side."),
        ("Telefon 0341 55 20 18.\n", "\u00a7 9 Das Wasser wird abgestellt."),
        ("Telefon 0341 55 20 18.", "\u00a7 9 Das Wasser wird abgestellt."),
        ("The rent is 30 EUR.", "Deposits are 300."),
        ("Es gibt \u00c4pfel usw.", "Die Kisten stehen hinten."),
        ("Die Wohnung ist in der Hauptstr.", "Der Eingang ist hinten."),
        ("It opens at 9 a.m.", "The gate is green."),
        ("Burn the files to a CD.", "Press Eject."),
        ("It is listed by UL and filed with the SEC.", "Members may read it."),
        ("The call begins at nine ET.", "A recording follows."),
        ("The way is 12 km.", "A bus goes there."),
        ("It waits for 167 kB.", "A function sends them."),
        ("It stops for 30 s.", "A pump starts."),
        ("All of it goes to NASA...", "The rest stays."),
        ("[inaudible]...", "The witness left."),
        ("Is it open?", "Yes."),
        ("It is the variable n.", "if n is zero, it stops."),
        ("It has the length k.", "Newton found it."),
        ("Each is of the set V.", "We call it open."),
        ("He waits...", "Then he goes."),
        ("He waits for the court. . . .", "Then he goes."),
        ("The steps are 1, 2, ...", "They go on."),
        ("It is 5 km away, 3 KB or 40 km.", "Trains go there."),
        ("Кот ростом 40 см.", "Потом вырос."),
        ("Площадь дома 45 кв. м.", "Цена высокая."),
        ("Хлеб, масло и т.д.", "Потом сыр."),
        ("Kupi\u0142 chleb itd.", "Potem wr\u00f3ci\u0142."),
        ("Lorries may drive 60 km/h.", "Tractors may not."),
        ("Flow 31 m\u00b3/h.\n", "2025-03-01 Pump 2 stopped."),
        ("Tank A holds 40 l.", "Tank B holds more."),
        ("It stops after 10 s.", "Pump 2 goes on."),
        ("Pump P1 runs at 230 V.", "Pump P2 does not."),
        ("\u0915\u093f\u0930\u093e\u092f\u093e \u0926\u094b\u0964", "\u0939\u093e\u0901\u0964"),
        ("\u062a\u0645\u0627\u0645\u061f", "\u0646\u0639\u0645."),
        ("\u79df\u91d1\u3002", "\u597d\u3002"),
    ],
)
def test_a_sentence_ends_before_the_next_one(first: str, second: str) -> None:
    assert split(f"{first} {second}") == [first.strip(), second]


def test_a_run_of_stops_takes_no_square_in_time() -> None:
    assert len(list(sentence_ends(". " * 100_000))) > 0
    assert list(sentence_ends("." * 200_000)) == []
