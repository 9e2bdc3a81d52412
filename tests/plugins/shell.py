"""Tests run with the product's own settings: what the shell exports for a stage is not theirs.

A `CHAT_MODEL` with its key would have sent their documents to a provider, and be billed for it.
"""

import os

from local.deployment import settings_of_the_shell

for _name in settings_of_the_shell():
    del os.environ[_name]  # noqa: TID251 -- of the tests
