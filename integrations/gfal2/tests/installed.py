"""Builds the plug-in and installs it below a directory; run as a program, it prints the environment as JSON."""

import json
import pathlib
import shutil
import subprocess
import sys
from typing import Dict

HERE = pathlib.Path(__file__).resolve().parent
# Debian's packages are for Debian's Python, which need not be the first one in the PATH.
PYTHON = "/usr/bin/python3"


def install(place: pathlib.Path, command: str) -> Dict[str, str]:
    """Returns what gfal2 needs in its environment to find the plug-in, which starts fdt by the command line."""
    shutil.copytree(HERE.parent, place / "source", ignore=shutil.ignore_patterns("tests", "*.so"))
    subprocess.run(["make", "-s", "-C", place / "source", "install", f"DESTDIR={place}/root", "CFLAGS=-O2 -g -Werror"], check=True)
    found = subprocess.run(
        ["pkg-config", "--variable=libdir", "gfal2"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    installed = pathlib.Path(found) / "gfal2-plugins"
    plugins = pathlib.Path(f"{place}/root{installed}")
    # gfal2 looks only in the directory that GFAL_PLUGIN_DIR names.
    (plugins / "libgfal_plugin_file.so").symlink_to(installed / "libgfal_plugin_file.so")
    config = configure(place / "root/etc/gfal2.d", command)
    return {"GFAL_PLUGIN_DIR": str(plugins), "GFAL_PYTHONBIN": PYTHON, **config}


def configure(directory: pathlib.Path, command: str) -> Dict[str, str]:
    """Returns the variable of another configuration, in this directory."""
    for each in pathlib.Path("/etc/gfal2.d").glob("*.conf"):
        if each.name != "fdt_plugin.conf":
            shutil.copy(each, directory)
    (directory / "fdt_plugin.conf").write_text(f"[FDT PLUGIN]\nCOMMAND={command}\n")
    return {"GFAL_CONFIG_DIR": str(directory)}


if __name__ == "__main__":
    print(json.dumps(install(pathlib.Path(sys.argv[1]), "fdt")))
