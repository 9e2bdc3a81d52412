"""What a person should know of a document that was read: in numbers, without its words.

Only files within it, its language and its collection's model are named.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from pulsedocs.model.languages import NAMES
from pulsedocs.model.pages import LOW_CONFIDENCE, Page, PageOutcome
from pulsedocs.model.plurals import counted

_ON_PICTURES = "words on pictures beside the text, if there are any"
_NAMED = 10  # pages; of a longer list the first ones show where to look


def warnings_of(pages: Sequence[Page]) -> list[str]:
    """Return a sentence for each way in which the text is less than the file."""
    return [
        *_guessed(pages),
        *_lost(pages),
        *_hidden(pages),
        *_unread(pages),
        *_recognised(pages),
    ]


def in_another_language(language: str, *, model: str) -> str:
    """Return what is to be known of a text whose language the model of its collection does not."""
    name = NAMES[language]
    return _unknown(f"the text is {name.capitalize()}", language=name, model=model)


def in_other_letters(script: str, *, model: str) -> str:
    """Return the same of a text in a script that it does not know: which language is not told."""
    return _unknown(f"the text is in {script} letters", language="LANGUAGE", model=model)


def _unknown(what: str, *, language: str, model: str) -> str:
    return (
        f"{what}, which {model} does not know: questions find little of it. Add it to a new"
        " collection, for which its language is chosen (command line:"
        f" `pulsedocs collections create NAME --language {language}`)"
    )


def _guessed(pages: Sequence[Page]) -> Iterator[str]:
    codecs = dict.fromkeys(page.guessed_encoding for page in pages if page.guessed_encoding)
    for codec in codecs:
        yield (
            f"nothing says in what the text is written, and it was read as {codec}: if letters are"
            " wrong, `pulsedocs add FILE --encoding ENCODING` says it"
        )


def _lost(pages: Sequence[Page]) -> Iterator[str]:
    failed = [page.number for page in pages if page.outcome is PageOutcome.FAILED]
    if failed:
        of_all = f"{len(failed)} of {counted(len(pages), 'page')}"
        yield f"{of_all} could not be read ({_listed(failed)})"


def _hidden(pages: Sequence[Page]) -> Iterator[str]:
    hiding = [page for page in pages if page.hidden_characters]
    if not hiding:
        return
    characters = sum(page.hidden_characters for page in hiding)
    left_out = f"{counted(characters, 'hidden character')} {'was' if characters == 1 else 'were'}"
    yield f"{_listed([page.number for page in hiding])}: {left_out} left out"


def _unread(pages: Sequence[Page]) -> Iterator[str]:
    named: dict[str, list[int]] = {}
    for page in pages:
        is_unread = page.pictures and not page.is_picture
        for each in (*page.unread, *([_ON_PICTURES] if is_unread else [])):
            named.setdefault(each, []).append(page.number)
    for each, numbers in islice(named.items(), _NAMED):
        yield f"{_listed(numbers)}: not read: {each}"
    if len(named) > _NAMED:
        yield f"not read either: {len(named) - _NAMED} more things like these"


def _recognised(pages: Sequence[Page]) -> Iterator[str]:
    scanned = [page.number for page in pages if page.outcome is PageOutcome.OCR]
    if scanned:
        text = "the text was recognised by a program and may be wrong"
        yield f"{_listed(scanned)}: {text}"
    beside = [page.number for page in pages if None in page.certainties]
    if beside:
        text = "words on pictures were recognised by a program and may be wrong"
        yield f"{_listed(beside)}: {text}"
    doubtful = [page for page in pages if (page.confidence or 1) < LOW_CONFIDENCE]
    if doubtful:
        lowest = min(page.confidence or 0 for page in doubtful)
        text = f"recognised with little certainty ({lowest:.2f} of 1): compare it with the file"
        yield f"{_listed([page.number for page in doubtful])}: {text}"


def _listed(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"page {numbers[0]}"
    named = ", ".join(map(str, numbers[:_NAMED]))
    more = len(numbers) - _NAMED
    return f"pages {named}" + (f" and {more} more" if more > 0 else "")
