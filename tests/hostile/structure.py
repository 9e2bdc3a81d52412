"""Files whose objects lead in circles, lie about their number, or are not there."""

from functools import partial

from tests.hostile.building import (
    SHOWN,
    Case,
    Make,
    cases,
    document,
    raw_pdf,
    stream,
)

NUMBER = 2_000_000_000
LENGTH = b"/Length %d" % len(SHOWN)


def changed(old: bytes, new: bytes) -> Make:
    """Return a file of one page with one thing changed, and its places wrong thereby."""
    whole = document()
    assert old in whole
    return lambda: whole.replace(old, new)


def appended(trailer: bytes) -> Make:
    """Return a file with a second table behind the first; %d is its own place."""

    def make() -> bytes:
        whole = document()
        place = len(whole)
        table = b"xref\n0 1\n0000000000 65535 f \ntrailer\n"
        table += trailer.replace(b"HERE", b"%d" % place)
        return whole + table + b"\nstartxref\n%d\n%%%%EOF\n" % place

    return make


def updated(times: int) -> bytes:
    """Return a file that was saved again so many times."""
    body = document()
    previous = body.rindex(b"xref\n0")
    for _ in range(times):
        place = len(body)
        body += (
            b"xref\n0 1\n0000000000 65535 f \ntrailer\n<</Root 1 0 R/Size 6/Prev %d>>\n" % previous
        )
        body += b"startxref\n%d\n%%%%EOF\n" % place
        previous = place
    return body


def page_many_times(times: int) -> bytes:
    kids = b"5 0 R " * times
    return document(pages=b"<</Type/Pages/Count %d/Kids[%s]>>" % (times, kids))


def deep_tree(depth: int) -> bytes:
    """Return pages under so many nodes, each with one child."""
    nodes = [b"<</Type/Pages/Count 1/Kids[%d 0 R]>>" % (7 + index) for index in range(depth - 1)]
    nodes.append(b"<</Type/Pages/Count 1/Kids[5 0 R]>>")
    return document(*nodes, pages=b"<</Type/Pages/Count 1/Kids[6 0 R]>>")


def entry(extra: bytes, *more: bytes) -> Make:
    """Return a file of one page with entries in its catalogue; `more` begins at object 6."""
    return lambda: document(*more, catalog=b"<</Type/Catalog/Pages 2 0 R%s>>" % extra)


def on_page(extra: bytes, *more: bytes) -> Make:
    return lambda: document(*more, page=extra)


def boxed(numbers: bytes) -> Make:
    return lambda: document(box=numbers)


def pages(entries: bytes) -> Make:
    return lambda: document(pages=b"<</Type/Pages%s>>" % entries)


def bookmarks(count: int, *, deep: bool) -> Make:
    """Return an outline of so many bookmarks, each below or behind the one before it."""
    link = b"/First" if deep else b"/Next"
    marks = [
        b"<</Title(Part)/Dest[5 0 R/Fit]%s %d 0 R>>" % (link, 8 + index) for index in range(count)
    ]
    return entry(b"/Outlines 6 0 R", b"<</First 7 0 R/Last 7 0 R>>", *marks, b"null")


def outline(mark: bytes) -> Make:
    return entry(b"/Outlines 6 0 R", b"<</First 7 0 R/Last 7 0 R>>", mark)


ENTITIES = b"<!DOCTYPE x [" + b"".join(
    b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10 if level else b"ha")
    for level in range(10)
)
XML_BOMB = ENTITIES + b"]><x>&e9;</x>"
SCRIPT = b"/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>"
ATTACHED = b"/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>"

STRUCTURE: list[Case] = [
    *cases(
        "TEXT:1",
        {
            "list of 200,000 levels in the catalogue": entry(b"/X" + b"[" * 200_000),
            "dictionary of 50,000 levels": on_page(b"/X" + b"<</X" * 50_000),
            "kids twice as many as counted": pages(b"/Count 1/Kids[5 0 R 5 0 R]"),
            "no type": changed(b"/Type/Page/", b"/"),
            "no table": changed(b"xref\n0", b"xxxx\n0"),
            "table of letters": changed(b"0000000009 00000 n", b"abcdefghij klmno p"),
            "table beyond the end": changed(b"startxref\n", b"startxref\n999"),
            "table before the start": changed(b"startxref\n", b"startxref\n-"),
            "size too small": changed(b"/Size 6", b"/Size 2"),
            "size beyond all numbers": changed(b"/Size 6", b"/Size %d" % NUMBER),
            "size below zero": changed(b"/Size 6", b"/Size -6"),
            "previous table is itself": appended(b"<</Root 1 0 R/Size 6/Prev HERE>>"),
            "previous table beyond the end": appended(b"<</Root 1 0 R/Size 6/Prev %d>>" % NUMBER),
            "hybrid table is itself": appended(b"<</Root 1 0 R/Size 6/XRefStm HERE>>"),
            "length too long": changed(LENGTH, b"/Length %d" % NUMBER),
            "length below zero": changed(LENGTH, b"/Length -7"),
            "length is its own stream": changed(LENGTH, b"/Length 3 0 R"),
            "saved 1,000 times": partial(updated, 1_000),
            "object number beyond all numbers": lambda: (
                document() + b"%d 0 obj null endobj" % NUMBER
            ),
            "name of a megabyte": entry(b"/" + b"N" * 1_000_000 + b" 1"),
            "string without end": lambda: document() + b"9 0 obj (" + b"x" * 1_000_000,
            "comment of ten megabytes": lambda: document() + b"%" * 10_000_000,
            "resources that are their own": on_page(b"/Resources 6 0 R", b"<</Font 6 0 R>>"),
            "parent is itself": on_page(b"/Parent 5 0 R"),
            "broken linearised": lambda: document(b"<</Linearized 1/L 5/H[9 9]/O 77/E 1/N 9/T 3>>"),
            "signed over bytes that are not there": entry(
                b"/AcroForm<</SigFlags 3/Fields[6 0 R]>>",
                b"<</FT/Sig/V<</ByteRange[0 99 %d 9]/Contents<00>>>>>" % NUMBER,
            ),
            "XMP of entities": entry(b"/Metadata 6 0 R", stream(XML_BOMB, b"/Type/Metadata")),
            "XFA of entities": entry(b"/AcroForm<</XFA 6 0 R/Fields[]>>", stream(XML_BOMB)),
            "fields in a circle": entry(b"/AcroForm<</Fields[6 0 R]>>", b"<</Kids[6 0 R]>>"),
            "names in a circle": entry(b"/Names<</Dests 6 0 R>>", b"<</Kids[6 0 R 6 0 R]>>"),
            "structure in a circle": entry(b"/StructTreeRoot 6 0 R", b"<</K[6 0 R]>>"),
            "label of a million letters": entry(b"/PageLabels<</Nums[0<</S/A/St 2000000>>]>>"),
            "bookmark next to itself": outline(b"<</Title(a)/Dest[5 0 R/Fit]/Next 7 0 R>>"),
            "bookmark below itself": outline(b"<</Title(a)/Dest[5 0 R/Fit]/First 7 0 R>>"),
            "bookmark to nowhere": outline(b"<</Title(a)/Dest[99 0 R/Fit]>>"),
            "bookmark to a name in a circle": outline(b"<</Title(a)/Dest(b)>>"),
            "bookmark of half a character": outline(b"<</Title<FEFFD800>/Dest[5 0 R/Fit]>>"),
            "bookmark of a megabyte": outline(
                b"<</Title(%s)/Dest[5 0 R/Fit]>>" % (b"a " * 500_000)
            ),
            "10,000 bookmarks in a row": bookmarks(10_000, deep=False),
            "10,000 bookmarks below each other": bookmarks(10_000, deep=True),
            "script at opening": entry(SCRIPT),
            "program at opening": entry(b"/OpenAction<</S/Launch/F(cmd.exe)>>"),
            "address at opening": entry(b"/OpenAction<</S/URI/URI(http://169.254.169.254/)>>"),
            "file attached": entry(ATTACHED, b"<</EF<</F 7 0 R>>>>", stream(b"MZ attached")),
            "portfolio": entry(b"/Collection<</View/D>>" + ATTACHED, b"null"),
            "script on the page": on_page(b"/AA<</O<</S/JavaScript/JS(x)>>>>"),
            "box of nothing": boxed(b"0 0 0 0"),
            "box upside down": boxed(b"612 792 0 0"),
            "box of three numbers": boxed(b"0 0 612"),
            "units beyond all numbers": on_page(b"/UserUnit 1e30"),
            "rotated by 45": on_page(b"/Rotate 45"),
        },
    ),
    *cases(
        "HIDDEN_ONLY:1",
        {"box elsewhere": boxed(b"9000 9000 9612 9792")},
    ),
    *cases(
        "EMPTY:1",
        {
            "contents of itself": lambda: document().replace(
                b"/Contents 3 0 R", b"/Contents 5 0 R"
            ),
            "no contents": lambda: document().replace(b"/Contents 3 0 R", b"/Contentz 3 0 R"),
        },
    ),
    *cases(
        "PDF_CORRUPTED",
        {
            "list of 200,000 levels as catalogue": lambda: document(catalog=b"[" * 200_000),
            "no root": lambda: b"%PDF-1.7\ntrailer<<>>\n%%EOF",
            "count beyond all numbers, no kids": pages(b"/Count %d/Kids[]" % NUMBER),
        },
    ),
    *cases(
        "TOO_MANY_PAGES",
        {
            "one page 99,000 times": partial(page_many_times, 99_000),
            "10,000 pages": partial(page_many_times, 10_000),
            "5,001 pages": partial(page_many_times, 5_001),
        },
    ),
    *cases(
        "TEXT:1",
        {
            "pages 500 levels deep": partial(deep_tree, 500),
            "count below zero": pages(b"/Count -1/Kids[5 0 R]"),
            "length too short": changed(LENGTH, b"/Length 2"),
            "root is a page": changed(b"/Root 1 0 R", b"/Root 5 0 R"),
            "count beyond all numbers": pages(b"/Count 1000000000/Kids[5 0 R]"),
        },
    ),
    *cases(
        "FAILED:1",
        {
            "kids are nothing": pages(b"/Count 1/Kids[null]"),
            "labels in a circle": entry(b"/PageLabels 6 0 R", b"<</Kids[6 0 R]>>"),
            "no kids": pages(b"/Count 1"),
            "kids are a number": pages(b"/Count 1/Kids 7"),
        },
    ),
    *cases("FAILED:3", {"pages in a circle": pages(b"/Count 3/Kids[2 0 R 2 0 R 2 0 R]")}),
    *cases("EMPTY:1", {"root is itself": lambda: raw_pdf(b"<</Type/Catalog/Pages 1 0 R>>")}),
]
