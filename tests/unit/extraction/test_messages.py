"""E-mails: all that they say, whatever their parts are."""

from time import process_time

import pytest

from tests.unit.extraction.office_files import pages_of


def test_a_message_is_its_subject_its_people_and_its_text() -> None:
    body = (
        b"From: Ada <ada@example.org>\r\nSubject: =?utf-8?q?Schl=C3=BCssel?=\r\n"
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nUnder the <mat>.\r\n--x\r\n"
        b"Content-Disposition: attachment; filename=plan.pdf\r\n\r\nAAAA\r\n--x--\r\n"
    )

    [page] = pages_of(body, "a.eml")

    assert page.text == (
        "Schlüssel\n\nFrom: Ada <ada@example.org>\n\nUnder the <mat>.\n\nAttachment: plan.pdf"
    )
    assert page.title == "Schlüssel"


def _mail(kind: str, *parts: str) -> bytes:
    bodies = "".join(f"--x\n{part}\n" for part in parts)
    return (f"Subject: Key\nContent-Type: multipart/{kind}; boundary=x\n\n{bodies}--x--\n").encode()


def _mixed_with(*parts: str) -> str:
    bodies = "".join(f"--y\n{part}\n" for part in parts)
    return f"Content-Type: multipart/mixed; boundary=y\n\n{bodies}--y--"


_PICTURE = "Content-Type: image/png; name=map.png\nContent-Disposition: inline\n\nAAAA"


_BLANK = "Content-Type: text/plain\n\n \n"


_RICH = "Content-Type: text/html\n\n<p>Under the <b>mat</b>.</p>"


_PLAN = "Content-Type: application/pdf; name=plan.pdf\nContent-Disposition: attachment\n\nAAAA"


_FILE = "Content-Type: application/pdf; name=plan.pdf\n\nAAAA"


_BESIDE = "Attachment: plan.pdf\n\nUnder the mat."


_AMP = "Content-Type: text/x-amp-html\n\n<p>Under.</p>"


_INVITATION = "Content-Type: text/calendar; name=a.ics\n\nBEGIN:VCALENDAR"


_LETTER = "Hello Kim, the new fares of the ferry are below. Greetings, Jo"


_STUB = "If you see nothing, open this in your browser: https://mail.example.org/v/123 ."


_FARES = f"Content-Type: text/html\n\n<p>{_LETTER}</p><table><tr><td>Adults<td>4.50</table>"


_DRAWN_FARES = "Content-Type: text/html\n\n<img src='fares.png'><p>\u00a9 Ferry Office 2031</p>"


_STAMPED = "Content-Type: text/html\n\n<p>Hello Kim<img src='a.png'><p>Ferry Office, Quay 5</p>"


_RICH_LETTER = f"Content-Type: text/html\n\n<p>{_LETTER}</p>"


_FORWARDED = "Content-Type: message/rfc822\n\nSubject: Door\nFrom: ada@example.org\n\nIt is green."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            _mail("mixed", "\nUnder the mat.", _PICTURE, "\nBehind the door."),
            "Under the mat.\n\nAttachment: map.png\n\nBehind the door.",
        ),
        (_mail("alternative", _BLANK, _RICH), "Under the mat."),
        (_mail("alternative", "\nIn words.", _RICH), "In words."),
        (
            _mail("alternative", "\nIn words.", _mixed_with(_RICH, _PLAN)),
            "In words.\n\nAttachment: plan.pdf",
        ),
        (_mail("related", _RICH, _PICTURE), "Under the mat."),
        (_mail("related", _RICH, _FILE), "Under the mat.\n\nAttachment: plan.pdf"),
        (_mail("alternative", _AMP, _INVITATION, _RICH), "Attachment: a.ics\n\nUnder the mat."),
        (_mail("alternative", _BLANK, _RICH, _INVITATION), "Under the mat.\n\nAttachment: a.ics"),
        (
            _mail("mixed", "\nSee below.", _FORWARDED),
            "See below.\n\nDoor\n\nFrom: ada@example.org\n\nIt is green.",
        ),
        (_mail("mixed", "\nOne.\r\n\r\nTwo."), "One.\n\nTwo."),
        (
            _mail("alternative", "\nNo HTML?", f"{_RICH}<p>The door is green."),
            "Under the mat.\n\nThe door is green.",
        ),
        (_mail("alternative", f"\n{_LETTER}", _FARES), f"{_LETTER}\n\nAdults | 4.50"),
        (
            _mail("alternative", f"\n{_LETTER}\n\nAdults 4.50, children 2.20", _DRAWN_FARES),
            f"{_LETTER}\n\nAdults 4.50, children 2.20",
        ),
        (_mail("alternative", f"\n{_STUB}", _FARES), f"{_LETTER}\n\nAdults | 4.50"),
        (_mail("alternative", f"\n{_LETTER}", _STAMPED), _LETTER),
        (_mail("alternative", "\nNo HTML? Ref. 4711", _RICH_LETTER), _LETTER),
        (_mail('related; start="<r>"', _FILE, f"Content-ID: <r>\n{_RICH}"), _BESIDE),
        (
            _mail("mixed", "\nYes.\nBo wrote:\n> When it is too\n> early, >5 wait.\n>> Who?\n>\n"),
            "Yes.\nBo wrote:\n\nWhen it is too\nearly, >5 wait.\n\nWho?",
        ),
    ],
    ids=[
        "text, picture, text",
        "no plain text",
        "plain",
        "files",
        "pictures",
        "a file beside the pictures",
        "a calendar",
        "a calendar behind",
        "forwarded",
        "CRLF",
        "a plain text that is none",
        "a table that is in the HTML only",
        "a table that is a picture there",
        "a plain text of an address only",
        "a letter without figures, of which the HTML has the signature",
        "a number in a plain text that is none",
        "the root of what is related, behind a file",
        "quotes",
    ],
)
def test_all_that_a_message_says_is_read(body: bytes, text: str) -> None:
    [page] = pages_of(body, "a.eml")

    assert page.text == f"Key\n\n{text}"


def test_a_long_word_of_a_message_is_searched_for_addresses_once() -> None:
    word = "a" * 40_000
    started = process_time()

    [page] = pages_of(_mail("alternative", f"\n{word}", _RICH), "a.eml")

    assert page.text == "Key\n\nUnder the mat."
    assert process_time() - started < 5  # twenty and more, if from each of its letters


def test_a_message_in_another_encoding_is_read_by_what_it_says() -> None:
    head = "Subject: Fee\nContent-Type: text/plain; charset=iso-8859-15\n\n"

    [page] = pages_of(f"{head}Müller zahlt 5 €.".encode("iso-8859-15"), "a.eml")
    [plain] = pages_of("Subject: Fee\n\nMüller zahlt.".encode(), "a.eml")

    assert page.text == "Fee\n\nMüller zahlt 5 €."
    assert plain.text == "Fee\n\nMüller zahlt."


def test_a_message_that_says_no_encoding_is_read_as_old_programs_wrote_it() -> None:
    [page] = pages_of("Subject: Gebühr\n\nFür das Café 5 €.".encode("cp1252"), "a.eml")
    [utf8] = pages_of("Subject: Gebühr\n\nFür das Café 5 €.".encode(), "a.eml")

    assert page.text == utf8.text == "Gebühr\n\nFür das Café 5 €."
    assert page.title == utf8.title == "Gebühr"


@pytest.mark.parametrize(
    "charset",
    [
        b"charset=unicode_escape",
        b"charset=cp037",
        b"charset=utf-7",
        b"charset=u\0s",
        b"charset*=u\0s''utf-8",
        b"charset*=utf-8''u%00s",
    ],
)
def test_a_message_in_no_encoding_of_texts_is_read_as_utf8(charset: bytes) -> None:
    head = b"Subject: Fee\nContent-Type: text/plain; " + charset

    [page] = pages_of(head + b"\n\nPay \\x35 +AGE- \xc3\xa4.", "a.eml")

    assert page.text == "Fee\n\nPay \\x35 +AGE- ä."


def test_no_part_of_a_message_hides_another() -> None:
    html = "Content-Type: text/html\n\n<style>h1, p {display:none}</style><b>Two.</b><!-- open"
    forwarded = f"Content-Type: message/rfc822\n\nSubject: Door\n{html}"

    [page] = pages_of(_mail("mixed", "\nOne.", f"{html}<p>no", "\nThree.", forwarded), "a.eml")
    [single] = pages_of(f"Subject: Key\nFrom: ada@example.org\n{html}".encode(), "a.eml")

    assert page.text == "Key\n\nOne.\n\nTwo.\n\nThree.\n\nDoor\n\nTwo."
    assert single.text == "Key\n\nFrom: ada@example.org\n\nTwo."


def test_messages_within_each_other_are_read_to_a_depth() -> None:
    body = "Subject: Last\n\nIt is green."
    for number in range(9):
        body = f"Subject: {number}\nContent-Type: message/rfc822\n\n{body}"

    [page] = pages_of(body.encode(), "a.eml")

    assert page.text == "8\n\n7\n\n6\n\n5\n\n4\n\nAttachment: message/rfc822"


_CALENDAR = """BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:16010101T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
ORGANIZER;CN="Klein: Rosa":mailto:rosa@example.org
SUMMARY;LANGUAGE=en-GB:Fire drill\\, the
  second
DTSTART;TZID="Europe/Berlin":20310219T140000
DTEND;TZID=Europe/Berlin:20310219T144500
LOCATION:Car park B
BEGIN:VALARM
SUMMARY:Reminder
DTSTART:20310219T120000
END:VALARM
END:VEVENT
END:VCALENDAR
"""
_DRILL = (
    "Event: Fire drill, the second; begins 2031-02-19 14:00 (Europe/Berlin); "
    "ends 2031-02-19 14:45 (Europe/Berlin); place: Car park B"
)


def _invited(calendar: str = _CALENDAR, more: str = "") -> str:
    return f"Content-Type: text/calendar; charset=utf-8; method=REQUEST{more}\n\n{calendar}"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (_mail("alternative", "\nPlease come.", _invited()), f"Please come.\n\n{_DRILL}"),
        (_mail("alternative", "\nPlease come.", _RICH, _invited()), f"Please come.\n\n{_DRILL}"),
        (_mail("mixed", "\nPlease come.", _invited()), f"Please come.\n\n{_DRILL}"),
        (_mail("alternative", _BLANK, _invited()), _DRILL),
        (
            _mail("alternative", "\nNo.", _invited(_CALENDAR.replace("REQUEST", "CANCEL"))),
            f"No.\n\n{_DRILL.replace('Event', 'Cancelled event')}",
        ),
        (
            _mail("mixed", "\nCome.", _invited(more="\nContent-Disposition: attachment")),
            "Come.\n\nAttachment: text/calendar",
        ),
        (
            _mail(
                "mixed",
                "\nCome.",
                _invited("BEGIN:VEVENT\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20310301\nEND:VEVENT"),
            ),
            "Come.\n\nEvent: Fair; begins 2031-03-01",
        ),
        (
            _mail(
                "mixed",
                "\nCome.",
                _invited("BEGIN:VEVENT\nSUMMARY:A\nDTSTART:20310301T090000Z\nEND:VEVENT"),
            ),
            "Come.\n\nEvent: A; begins 2031-03-01 09:00 UTC",
        ),
    ],
    ids=["text", "HTML too", "beside", "alone", "cancelled", "attached", "a day", "UTC"],
)
def test_an_invitation_says_when_and_where(body: bytes, text: str) -> None:
    [page] = pages_of(body, "a.eml")

    assert page.text == f"Key\n\n{text}"


@pytest.mark.parametrize("line", ["X;" * 30_000, 'X;A="' * 15_000, "\n " * 30_000])
def test_a_calendar_of_one_long_line_is_read_in_time(line: str) -> None:
    started = process_time()

    [page] = pages_of(_mail("mixed", "\nCome.", _invited(f"BEGIN:VEVENT\n{line}")), "a.eml")

    assert page.text == "Key\n\nCome."
    assert process_time() - started < 5
