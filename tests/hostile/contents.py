"""Pages whose content, fonts or pictures are not what a parser hopes for."""

from functools import partial

from tests.hostile.bombs import form
from tests.hostile.building import SHOWN, Case, Make, cases, document, one_page, stream

NUMBER = 2_000_000_000


def shows(content: bytes, *more: bytes, resources: bytes = b"") -> Make:
    return lambda: document(*more, content=content, resources=resources)


def calls(*forms: bytes) -> Make:
    """Return a page that shows its words and calls the first of these forms."""
    return shows(SHOWN + b" /X Do", *forms, resources=b"/XObject<</X 6 0 R>>")


def pictures(kind: bytes, data: bytes, *, width: int = 10) -> Make:
    entries = b"/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8" % (width, width)
    entries += b"/ColorSpace/DeviceRGB/Filter/%s" % kind
    return shows(b"/X Do", stream(data, entries), resources=b"/XObject<</X 6 0 R>>")


def font(entries: bytes, *more: bytes) -> Make:
    return lambda: document(*more, font=b"<</Type/Font%s>>" % entries)


def composite(descendant: bytes) -> Make:
    return font(
        b"/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[6 0 R]",
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/X%s>>" % descendant,
    )


def mapped(cmap: bytes) -> Make:
    return lambda: one_page(SHOWN, to_unicode=cmap)


def ranges(count: int) -> bytes:
    rows = b"".join(b"<%04X><%04X><0041>\n" % (code, code) for code in range(count))
    return b"begincmap 1 begincodespacerange <0000><FFFF> endcodespacerange\n" + (
        b"%d beginbfrange\n%sendbfrange endcmap" % (count, rows)
    )


WIDTHS = b"/Subtype/TrueType/BaseFont/X/FirstChar 0/LastChar %d/Widths[%s]"

CONTENTS: list[Case] = [
    *cases(
        "FAILED:1",
        {"marked 50,000 levels deep": shows(b"/P <</MCID 0>> BDC " * 50_000 + SHOWN)},
    ),
    *cases(
        "TEXT:1",
        {
            "form that calls itself": calls(form(b"/X Do", b"/XObject<</X 6 0 R>>")),
            "forms that call each other": calls(
                form(b"/X Do", b"/XObject<</X 7 0 R>>"), form(b"/X Do", b"/XObject<</X 6 0 R>>")
            ),
            "form of a box of nothing": calls(form(SHOWN, b"").replace(b"612 792", b"0 0")),
            "picture without end in the text": shows(
                SHOWN + b" BI /W 9 /H 9 /BPC 8 /CS /G ID " + b"x" * 100_000
            ),
            "picture beyond all numbers in the text": shows(
                SHOWN + b" BI /W %d /H %d /BPC 8 /CS /RGB ID x EI" % (NUMBER, NUMBER)
            ),
            "a million states saved": shows(b"q " * 1_000_000 + SHOWN),
            "a million states restored": shows(b"Q " * 1_000_000 + SHOWN),
            "a million numbers": shows(b"1 " * 1_000_000 + SHOWN),
            "number of 100,000 digits": shows(b"9" * 100_000 + b" w " + SHOWN),
            "list of 200,000 levels on the page": shows(SHOWN + b"[" * 200_000),
            "dictionary of 50,000 levels on the page": shows(SHOWN + b"<</A" * 50_000),
            "text that never ends": shows(SHOWN.removesuffix(b"ET")),
            "words without text": shows(b"(lost) Tj " + SHOWN),
            "kerning beyond all numbers": shows(
                b"BT /F 12 Tf 72 700 Td [(The) -1e30 (pump)] TJ ET " + SHOWN
            ),
            "matrix beyond all numbers": shows(
                b"q 1e38 0 0 1e38 1e38 1e38 cm BT /F 1e38 Tf (x) Tj ET Q " + SHOWN
            ),
            "matrix of nothing": shows(b"q 0 0 0 0 0 0 cm " + SHOWN + b" Q " + SHOWN),
            "unknown operators": shows(b"foo bar 1 2 baz " * 10_000 + SHOWN),
            "unknown font": shows(b"BT /Nowhere 12 Tf 72 600 Td (lost) Tj ET " + SHOWN),
            "25,000 paths": shows(b"0 0 m 9 9 l S " * 25_000 + SHOWN),
            "font without its kind": font(b"/BaseFont/Helvetica"),
            "font of an unknown kind": font(b"/Subtype/Type9/BaseFont/Helvetica"),
            "widths beyond all numbers": font(WIDTHS % (NUMBER, b"1e38 " * 10)),
            "100,000 widths": font(WIDTHS % (255, b"500 " * 100_000)),
            "a million differences": font(
                b"/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[0 %s]>>"
                % (b"/a" * 1_000_000)
            ),
            "font file of noise": font(
                b"/Subtype/TrueType/BaseFont/X/FontDescriptor<</FontFile2 6 0 R/Flags 32>>",
                stream(b"\x00\x01\x00\x00" + b"\xff" * 10_000),
            ),
            "65,536 ranges to letters": mapped(ranges(65_536)),
            "range beyond all numbers": mapped(
                b"begincmap 1 beginbfrange <00000000><FFFFFFFF><0041> endbfrange endcmap"
            ),
            "map that uses itself": mapped(b"begincmap /X usecmap endcmap"),
            "map of noise": mapped(b"\xff" * 100_000),
        },
    ),
    *cases(
        "TEXT:1",
        {
            "descendant is itself": font(
                b"/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[4 0 R]"
            ),
            "widths of composite beyond all numbers": composite(b"/W[0 %d 500]" % NUMBER),
            "100,000 widths of a composite": composite(b"/W[0[%s]]" % (b"500 " * 100_000)),
            "glyphs that show themselves": font(
                b"/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<</a 6 0 R>>"
                b"/Encoding<</Differences[84/a]>>/FirstChar 84/LastChar 84/Widths[9]"
                b"/Resources<</Font<</F 4 0 R>>>>",
                stream(b"9 0 d0 BT /F 1 Tf (T) Tj ET"),
            ),
        },
    ),
    *cases(
        "EMPTY:1",
        {
            "composite font without descendants": font(
                b"/Subtype/Type0/BaseFont/X/Encoding/Identity-H"
            ),
            "noise as content": shows(bytes(range(256)) * 1_000),
            "JBIG2 of noise": pictures(b"JBIG2Decode", b"\xff" * 10_000),
            "JPX of noise": pictures(b"JPXDecode", b"\x00\x00\x00\x0cjP  " + b"\xff" * 10_000),
            "DCT of noise": pictures(b"DCTDecode", b"\xff\xd8\xff\xc0" + b"\xff" * 10_000),
            "fax of noise": pictures(b"CCITTFaxDecode", b"\xff" * 10_000),
            "picture beyond all numbers": pictures(b"DCTDecode", b"\xff\xd8", width=NUMBER),
            "pictures only": pictures(b"ASCIIHexDecode", b"00" * 300 + b">"),
            "JPX as content": partial(
                document, content=b"\xff" * 999, entries=b"/Filter/JPXDecode"
            ),
            "JBIG2 as content": partial(
                document, content=b"\xff" * 999, entries=b"/Filter/JBIG2Decode"
            ),
            "DCT as content": partial(
                document, content=b"\xff" * 999, entries=b"/Filter/DCTDecode"
            ),
            "fax as content": partial(
                document, content=b"\xff" * 999, entries=b"/Filter/CCITTFaxDecode"
            ),
        },
    ),
]
