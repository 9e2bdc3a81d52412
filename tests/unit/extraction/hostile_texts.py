"""Texts that no honest person writes, made by code; each format's weak spots and those of all."""

from collections.abc import Iterator

MARKDOWN, HTML, RST, TEXT = "text/markdown", "text/html", "text/x-rst", "text/plain"
EVERY = (MARKDOWN, HTML, RST, TEXT)
_MB = 1_000_000


def hostile_texts() -> Iterator[tuple[str, str, bytes]]:
    """Yield a name, the announced type and the bytes."""
    for content_type in EVERY:
        for name, body in _of_every_format():
            yield f"{name} as {content_type}", content_type, body
    for name, text in _markdown():
        yield f"markdown: {name}", MARKDOWN, text.encode()
    for name, text in _html():
        yield f"html: {name}", HTML, text.encode()
    for name, text in _restructured_text():
        yield f"rst: {name}", RST, text.encode()


def _of_every_format() -> Iterator[tuple[str, bytes]]:
    yield "one line of 50 MB", b"word " * (10 * _MB)
    yield "200,000 characters without a space", b"x" * 200_000
    yield "only CR", b"# a\rb\r\rc\r" * 1_000
    yield "zalgo", ("e" + "\u0301" * 10_000).encode() * 5
    yield "right to left", ("\u202eabc\u2066\u2067 " * 20_000).encode()
    yield "tag characters", "".join(chr(0xE0020 + n % 90) for n in range(50_000)).encode()
    yield "line ends only", b"\n" * (2 * _MB)
    yield "white space only", b" \t" * _MB
    yield "colons", b"::" * 50_000
    yield "form feeds", b"a\f" * 4_000
    yield "variation selectors", ("a" + "\ufe0f" * 100_000).encode()


def _markdown() -> Iterator[tuple[str, str]]:
    yield "quotes 100,000 deep", ">" * 100_000 + " x"
    yield "lists 2,000 deep", "".join("  " * n + "- a\n" for n in range(2_000))
    yield "open brackets", "[" * 50_000
    yield "brackets and parentheses", "[a](" * 20_000
    yield "pictures in pictures", "![" * 5_000 + "x" + "](y)" * 5_000
    yield "stars", "*a **b " * 20_000
    yield "backticks of every length", " ".join("`" * n for n in range(1, 800))
    yield "angle brackets", "<" * 100_000
    yield "one address, a thousand links", "[a]: x" + "y" * 90_000 + "\n\n" + "[a] " * 20_000
    yield "definitions", "".join(f"[{n}]: /{n}\n" for n in range(20_000)) + "[1][2]" * 5_000
    yield "wide table", "|a" * 3_000 + "\n" + "|-" * 3_000 + "\n" + "|b\n" * 3_000
    yield "entities", "&amp;" * 200_000
    yield "unknown entities", "&a" * 100_000
    yield "open fence", "```\n" + "x\n" * 100_000
    yield "front matter without end", "---\n" + "a: b\n" * 50_000
    yield "declarations", "<!A" * 50_000
    yield "comments that stay open", "<!-- " * 50_000
    yield "instructions that stay open", "<?" * 50_000
    yield "tables of pipes", "|" * 100_000 + "\n" + "|-|"
    yield "escapes", "\\" * 200_000


def _html() -> Iterator[tuple[str, str]]:
    yield "elements 100,000 deep", "<div>" * 100_000 + "x"
    yield "lists 20,000 deep", "<ul><li>" * 20_000 + "x"
    yield "headings within headings", "<h1><span>" * 10_000 + "x"
    yield "formatting that is reopened", "<p><b><i><a>" * 5_000 + "x"
    yield "tables within tables", "<table><tr><td>" * 5_000 + "x"
    yield "empty cells", "<table><tr>" + "<td></td>" * 100_000 + "<td>x</table>"
    yield "attributes", "<p " + " ".join(f"a{n}=1" for n in range(10_000)) + ">x"
    yield "a long style", f"<p style='{'a:b;' * 100_000}display:none'>x</p>y"
    yield "comment", "<!--" + "-" * 500_000 + "x"
    yield "entities", "&lt;" * 300_000
    yield "bad entities", "&#x110000;&#xD800;&#0;&#99999999999;" * 10_000
    yield "script that stays open", "a<script>" + "x" * 500_000
    yield "pre", "<pre>" + "\n" * 100_000 + "x</pre>" * 10
    yield "large data URI", "a<img src='data:image/png;base64," + "A" * 5_000_000 + "'>b"
    yield "plaintext", "a<plaintext>" + "<b>" * 100_000
    yield "selects", "<select><option>a" * 20_000
    yield "hidden within hidden", "<div hidden>" * 3_000 + "x" + "</div>" * 3_000 + "y"
    yield "frames", "<frameset><frame>" * 5_000
    yield "short tags that stay open", "<?xml ?>" + "<a" + " " * 900_000 + "<a /" * 100_000
    yield "foreign", "<svg><math><foreignObject>" * 3_000 + "x"
    yield "templates", "<template>" * 3_000 + "x"


def _restructured_text() -> Iterator[tuple[str, str]]:
    yield "quotes 500 deep", "".join(" " * n + "a\n\n" for n in range(500))
    yield "lists 300 deep", "".join("  " * n + "- a\n\n" for n in range(300))
    yield "title styles", "".join(f"{c * 9}\nTitle\n{c * 9}\n\n" for c in "=-~^\"'`.,:;+*#_<>" * 40)
    yield "include", ".. include:: /dev/zero\n\nx"
    yield "table from an address", ".. csv-table::\n   :url: http://127.0.0.1:9/\n\nx"
    yield "raw", ".. raw:: html\n   :url: file:///etc/passwd\n\nx"
    yield "substitutions that double", _doubling()
    yield "substitution of itself", ".. |a| replace:: |a|\n\n|a|"
    yield "wide csv", ".. csv-table::\n\n   " + ",".join("a" * 5_000) + "\n"
    yield "crooked grid table", "+" + "-+" * 500 + "\n" + "|" * 1_001 + "\n" + "+" + "-+" * 500
    yield "roles", ":a:`" * 5_000
    yield "unknown directives", "".join(f".. d{n}:: x\n\n" for n in range(2_000))
    yield "directives within each other", "".join("  " * n + ".. d::\n\n" for n in range(200))
    yield "footnotes", "[#]_ " * 2_000 + "\n\n" + ".. [#] x\n" * 2_000
    yield "a role of its own", ".. role:: r(raw)\n   :format: html\n\n:r:`x`"
    yield "default role", ".. default-role:: nonsense\n\n`x`"
    yield "a test of docutils", ".. restructuredtext-test-directive::\n\nx"
    yield "open emphasis", "*a " * 10_000
    yield "columns", "= " * 2_000 + "\n" + "a " * 2_000 + "\n" + "= " * 2_000
    yield "enumeration", "".join(f"{n}. x\n" for n in range(1, 3_000))
    yield "roman numbers", "(mmmmmmmmmmmmmmmm) x\n\niiii. y\n"
    yield "unicode", ".. |u| unicode:: 0xD800 0x110000 U+FFFFFFFF\n\n|u|"
    yield "date", ".. |d| date:: %c\n\n|d|"
    yield "sections numbered", ".. sectnum::\n   :start: 99999999999\n\nA\n==\n"


def _doubling() -> str:
    steps = "".join(f".. |s{n}| replace:: |s{n + 1}| |s{n + 1}|\n\n" for n in range(40))
    return f"|s0|\n\n{steps}.. |s40| replace:: boom\n"
