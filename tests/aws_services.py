"""What botocore reads of the services of AWS, from memory from the second time on.

A session of boto3 reads 0.1 s of JSON for its first client. moto takes a new session for each
account, and each function of a stage has one: both paid for it again.
"""

from functools import cache
from typing import Any

from botocore.loaders import JSONFileLoader

_read = cache(JSONFileLoader().load_file)


def from_memory(_loader: JSONFileLoader, path: str) -> Any:
    """Stand in for `JSONFileLoader.load_file`."""
    return _read(path)
