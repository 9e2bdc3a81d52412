"""Reads messages (EML, RFC 5322): subject, who, when, the text; attachments are only named."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import escape

from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.html import prose_of
from pulsedocs.extraction.prose import ProseFile

_HEADERS = ("From", "To", "Cc", "Date")


def open_eml(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TooMuchText and TooManyPages."""
    message = message_from_bytes(body, EmailMessage, policy=default)
    subject = str(message.get("Subject", ""))
    html = [f"<h1>{escape(subject)}</h1><p>"]
    html += (f"{name}: {escape(str(message[name]))}<br>" for name in _HEADERS if message[name])
    html.append("</p>")
    text = message.get_body(("plain", "html"))
    if text is not None:
        try:
            content = str(text.get_content())
        except LookupError:  # a charset that nobody knows
            payload = text.get_payload(decode=True)
            content = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
        if text.get_content_subtype() == "html":
            html.append(content)
        else:
            lines = (escape(part).replace("\n", "<br>") for part in content.split("\n\n"))
            html += (f"<p>{paragraph}</p>" for paragraph in lines)
    html += (
        f"<p>Attachment: {escape(part.get_filename() or part.get_content_type())}</p>"
        for part in message.iter_attachments()
    )
    prose = prose_of("".join(html))
    prose.title = subject or None
    return ProseFile([prose], parser="mail", budgets=budgets)
