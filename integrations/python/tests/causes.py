"""The causes of failures in fdt's own source, for tests that compare tables with them."""

import pathlib
import re
from typing import Dict

_CORE = pathlib.Path(__file__).resolve().parents[3] / "fdt-core/src/main/java/io/fdt/core/failure"


def exit_codes() -> Dict[str, int]:
    """Returns the exit code of each cause by its word."""
    kinds = dict(re.findall(r"^ +([A-Z_]+)\((\d+),", (_CORE / "FailureKind.java").read_text(), re.M))
    table = (_CORE / "Cause.java").read_text()
    causes = re.findall(r"^ +[A-Z_]+\(\s*FailureKind\.([A-Z_]+),\s*\"([a-z-]+)\"", table, re.M)
    return {word: int(kinds[kind]) for kind, word in causes}
