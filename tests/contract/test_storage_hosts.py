"""Whoever uploads or downloads is sent to the bucket's own region, never to S3's global address.

That address redirects (307) to a bucket made outside us-east-1 for up to a day, and refuses one in
a region opened after March 2019 (400) for ever.
"""

from urllib.parse import urlsplit

import botocore.session
import pytest

from pulsedocs import bootstrap
from pulsedocs.adapters.aws.object_store import S3ObjectStore
from pulsedocs.edge import console

SESSION = botocore.session.get_session()
SUFFIXES = {"aws": "amazonaws.com", "aws-us-gov": "amazonaws.com", "aws-cn": "amazonaws.com.cn"}
REGIONS = {
    region: SUFFIXES[partition]
    for partition in SUFFIXES
    for region in SESSION.get_available_regions("s3", partition)
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


def hosts(store: S3ObjectStore) -> set[str]:
    """Return the hosts of a form and of a link."""
    form = store.presign_upload("u/x", content_type="text/plain", max_bytes=9, fields={})
    link = store.presign_download(
        "u/x", object_version="1", filename="x.txt", content_type="text/plain"
    )
    return {urlsplit(form.url).netloc, urlsplit(link).netloc}


@pytest.mark.parametrize("region", REGIONS)
def test_forms_and_links_name_the_bucket_in_its_own_region(region: str) -> None:
    """T-09: for every region that the SDK knows, China and GovCloud among them."""
    store = S3ObjectStore(bucket="pulsedocs-documents", region=region, endpoint_url=None)

    assert hosts(store) == {f"pulsedocs-documents.s3.{region}.{REGIONS[region]}"}


@pytest.mark.parametrize("region", REGIONS)
def test_the_console_may_send_forms_where_they_are_signed_for(
    monkeypatch: pytest.MonkeyPatch, region: str
) -> None:
    monkeypatch.setenv("BUCKET", "pulsedocs-documents")
    monkeypatch.setenv("AWS_REGION", region)
    bootstrap.reset()
    store = S3ObjectStore(bucket="pulsedocs-documents", region=region, endpoint_url=None)

    policy = console.policy()
    bootstrap.reset()

    [host] = hosts(store)
    assert f"connect-src 'self' https://{host};" in policy


def test_a_region_that_the_sdk_does_not_know_yet_is_named_too() -> None:
    store = S3ObjectStore(bucket="pulsedocs-documents", region="eu-north-9", endpoint_url=None)

    assert hosts(store) == {"pulsedocs-documents.s3.eu-north-9.amazonaws.com"}


def test_a_stage_on_one_machine_keeps_its_address() -> None:
    """A name below 127.0.0.1 leads nowhere."""
    local = "http://127.0.0.1:4566"
    store = S3ObjectStore(bucket="pulsedocs-documents", region="us-east-1", endpoint_url=local)

    assert hosts(store) == {"127.0.0.1:4566"}
