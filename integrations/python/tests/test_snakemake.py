"""Snakemake's own tests of storage plug-ins, and a workflow; see test_client for the environment."""

import asyncio
import os
import pathlib
import subprocess
import sys
import types

import pytest
from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_storage_plugins.tests import TestStorageBase

import fdt_client
from snakemake_storage_plugin_fdt import StorageProvider

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
    number = json.loads(line)["id"]
    why = {"cause": "unreadable", "place": "fdt://host", "path": "/d/x", "errno": "EACCES", "exit_code": 4}
    print(json.dumps({"id": number, "type": "error", "message": "why", **why}), flush=True)
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

    def test_a_file_that_cannot_be_read_is_not_missing(self, tmp_path: pathlib.Path) -> None:
        client = fdt_client.Client(command=[sys.executable, "-c", SHUT])
        try:
            stored = self._get_obj(tmp_path, self.get_query(tmp_path))
            stored.provider.client = lambda host: client
            with pytest.raises(fdt_client.Unreadable, match="why"):
                stored.exists()
            with pytest.raises(WorkflowError, match="why"):
                asyncio.run(stored.inventory(types.SimpleNamespace(exists_in_storage={})))
        finally:
            client.close()


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
