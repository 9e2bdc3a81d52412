"""Handlers whose time is up as soon as they have begun, and whose pages hold one thing."""

from functions.backfill import handler as filling
from functions.purge import handler as purging
from functions.retire import handler as retiring
from pulsedocs.deletion import purge_document
from pulsedocs.embedding_models import backfill_model

retiring.SECONDS = 0  # pyright: ignore[reportAttributeAccessIssue] -- declared Final
backfill_model.CHUNKS_A_PAGE = backfill_model.PAGES_AN_EXECUTION = 1  # pyright: ignore[reportAttributeAccessIssue] -- the same
purge_document.RECEIPTS_AT_ONCE = 1

retire = retiring.handler
backfill = filling.handler
purge = purging.handler
