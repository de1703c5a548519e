"""Snakemake's own tests of storage plug-ins, and a workflow; see test_client for the environment."""

import asyncio
import os
import pathlib
import subprocess
import sys
import tomllib

import pytest
from snakemake.io import IOCache
from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_storage_plugins.tests import TestStorageBase

import fdt_client
from snakemake_storage_plugin_fdt import StorageObject, StorageProvider

URL = os.environ["FDT_URL"]
ROOT = pathlib.Path(os.environ["FDT_ROOT"])

WORKFLOW = """
samples = glob_wildcards(storage.fdt("{url}/in/{{sample}}.txt")).sample

rule all:
    input: storage.fdt("{url}/out/all.txt")

rule count:
    input: storage.fdt("{url}/in/{{sample}}.txt")
    output: storage.fdt("{url}/out/{{sample}}.count")
    shell: "wc -c < {{input}} > {{output}}"

rule join:
    input: storage.fdt(expand("{url}/out/{{sample}}.count", sample=samples))
    output: storage.fdt("{url}/out/all.txt")
    shell: "cat {{input}} > {{output}}"
"""

# Stands for fdt: the path cannot be read, whoever runs the tests.
SHUT = """
import json, sys
for line in sys.stdin:
    open(sys.argv[1], "a").write("1, ")
    number = json.loads(line)["id"]
    why = {"cause": "unreadable", "place": "fdt://host", "path": "/d/x", "errno": "EACCES", "exit_code": 4}
    print(json.dumps({"id": number, "type": "error", "message": "why", **why}), flush=True)
"""

# Stands for fdt: the server is away, and the third time back without the path.
AWAY = """
import json, sys
for line in sys.stdin:
    with open(sys.argv[1], "a+") as log:
        log.write("1, ")
        log.seek(0)
        tries = len(log.read()) // 3
    away = {"cause": "no-answer", "exit_code": 8, "retry": True}
    why = away if tries < 3 else {"cause": "missing", "exit_code": 4}
    print(json.dumps({"id": json.loads(line)["id"], "type": "error", "message": "why", **why}), flush=True)
"""


class TestStorage(TestStorageBase):
    __test__ = True
    files_only = False

    def get_query(self, tmp_path: pathlib.Path) -> str:
        return f"{URL}/snakemake/a file.txt"

    def get_query_not_existing(self, tmp_path: pathlib.Path) -> str:
        return f"{URL}/snakemake/none"

    def get_storage_provider_cls(self) -> type:
        return StorageProvider

    def test_wrong_queries(self) -> None:
        for query in ("http://x/y", "fdt://", "fdt://dtn2", "fdt://dtn2/"):
            assert not StorageProvider.is_valid_query(query)

    def asked(self, tmp_path: pathlib.Path, script: str) -> object:
        """Returns a file whose provider asks this program."""
        asked = self._get_obj(tmp_path, self.get_query(tmp_path))
        asked.provider.client = fdt_client.Client(command=[sys.executable, "-c", script, str(tmp_path / "log")])
        return asked

    def test_a_file_that_cannot_be_read_is_not_missing(self, tmp_path: pathlib.Path) -> None:
        asked = self.asked(tmp_path, SHUT)
        for ask in (asked.exists, lambda: asyncio.run(asked.inventory(IOCache(0))), asked.list_candidate_matches):
            with pytest.raises(WorkflowError, match="^why$"):
                ask()

    def test_tries_again_only_what_may_succeed_then(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(StorageObject._stat.__wrapped__.retry, "sleep", lambda seconds: None)
        assert not self.asked(tmp_path, AWAY).exists()
        assert (tmp_path / "log").read_text() == "1, 1, 1, "
        with pytest.raises(WorkflowError, match="^why$"):
            self.asked(tmp_path, SHUT).exists()
        assert (tmp_path / "log").read_text() == "1, 1, 1, 1, "

    def test_one_request_is_the_inventory_of_a_directory(self, tmp_path: pathlib.Path) -> None:
        (ROOT / "many").mkdir(exist_ok=True)
        for number in range(100):
            (ROOT / "many" / str(number)).write_text("x" * number)
        cache = IOCache(0)
        for number in (*range(100), "none"):
            stored = self._get_obj(tmp_path, f"{URL}/many/{number}")
            asyncio.run(stored.inventory(cache))
            assert stored.get_inventory_parent() in cache.exists_in_storage.has_inventory
            # Nothing else is asked.
            stored.provider.client = None
            key = stored.cache_key()
            assert cache.exists_in_storage[key] == (number != "none")
            if number != "none":
                assert cache.size[key] == number
                assert cache.mtime[key].storage() == (ROOT / "many" / str(number)).stat().st_mtime
        missing = self._get_obj(tmp_path, f"{URL}/no directory/x")
        asyncio.run(missing.inventory(cache))
        assert not cache.exists_in_storage[missing.cache_key()]

    def test_an_installed_package_is_found_by_its_name(self) -> None:
        about = tomllib.loads((pathlib.Path(__file__).parents[1] / "pyproject.toml").read_text())
        assert about["project"]["name"] == "snakemake-storage-plugin-fdt"
        assert about["tool"]["flit"]["module"]["name"] == "snakemake_storage_plugin_fdt"


def test_a_server_that_is_down_is_one_sentence(tmp_path: pathlib.Path) -> None:
    (tmp_path / "Snakefile").write_text(WORKFLOW.format(url="fdt://127.0.0.1:1"))
    ended = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ended.returncode != 0
    assert "127.0.0.1:1" in ended.stdout
    assert "Traceback" not in ended.stdout
    assert len(ended.stdout.splitlines()) < 10, ended.stdout


def test_a_workflow(tmp_path: pathlib.Path) -> None:
    (ROOT / "in").mkdir()
    for name in ("a", "b"):
        (ROOT / "in" / f"{name}.txt").write_text(name * 10)
    (tmp_path / "Snakefile").write_text(WORKFLOW.format(url=URL))
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet"]
    run = lambda: subprocess.run(  # noqa: E731
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    ended = run()
    assert ended.returncode == 0, ended.stdout
    assert (ROOT / "out" / "all.txt").read_text().split() == ["10", "10"]
    written = (ROOT / "out" / "all.txt").stat().st_mtime_ns
    ended = run()
    assert ended.returncode == 0, ended.stdout
    assert (ROOT / "out" / "all.txt").stat().st_mtime_ns == written
