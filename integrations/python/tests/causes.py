"""The causes of failures in fdt's own source, and what docs/integrations.md says that they become."""

import pathlib
import re
from typing import Dict, NamedTuple

_REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
_CORE = _REPOSITORY / "fdt-core/src/main/java/io/fdt/core/failure"


class Row(NamedTuple):
    exit_code: int
    python: str
    gfal2: str
    condor: str
    rucio: str


def exit_codes() -> Dict[str, int]:
    """Returns the exit code of each cause by its word."""
    kinds = dict(re.findall(r"^ +([A-Z_]+)\((\d+),", (_CORE / "FailureKind.java").read_text(), re.M))
    table = (_CORE / "Cause.java").read_text()
    causes = re.findall(r"^ +[A-Z_]+\(\s*FailureKind\.([A-Z_]+),\s*\"([a-z-]+)\"", table, re.M)
    return {word: int(kinds[kind]) for kind, word in causes}


def table() -> Dict[str, Row]:
    """Returns the row of each cause, which must be all."""
    page = (_REPOSITORY / "docs/integrations.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) \| `(\w+)` \| `(\w+)` \| ([\w ]+) \| `(\w+)` \|$", page, re.M)
    found = {word: Row(int(code), *others) for word, code, *others in rows}
    assert {word: row.exit_code for word, row in found.items()} == exit_codes()
    return found
