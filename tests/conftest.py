"""Fixtures that tests of every folder share; each is defined in `tests/plugins`."""

pytest_plugins = [
    "tests.plugins.shell",
    "tests.plugins.authorities",
    "tests.plugins.aws_services",
    "tests.plugins.durations",
    "tests.plugins.examples",
    "tests.plugins.extent",
    "tests.plugins.garbage",
    "tests.plugins.postgres_server",
    "tests.plugins.migrated_database",
    "tests.plugins.local_models",
    "tests.plugins.providers",
    "tests.plugins.runtime_python",
    "tests.plugins.stage",
]
