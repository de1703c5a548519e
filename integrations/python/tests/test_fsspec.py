"""fsspec's own tests of file systems, and the programs that open what it opens; see test_client for the environment."""

import errno
import json
import os
import pathlib
import pickle
import random
import tomllib
from typing import Any, Iterator, List
from unittest import mock

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.tests import abstract

import fdt_client
from fdt_client.fsspec import FdtFileSystem

URL = os.environ["FDT_URL"]
ROOT = pathlib.Path(os.environ["FDT_ROOT"])
COMMAND = json.loads(os.environ["FDT_COMMAND"])
HOST, PORT = URL[len("fdt://") :].rsplit(":", 1)
OPTIONS = {"command": COMMAND}

PROJECT = tomllib.loads((pathlib.Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
# As an installation of the package does.
fsspec.register_implementation("fdt", PROJECT["entry-points"]["fsspec.specs"]["fdt"].replace(":", "."))


@pytest.fixture(scope="session")
def fdt() -> Iterator[FdtFileSystem]:
    with mock.patch.dict(fsspec.config.conf, {"fdt": OPTIONS}):
        fs = fsspec.filesystem("fdt", host=HOST, port=int(PORT), **OPTIONS)
        yield fs
        fs.client.close()


class Fixtures(abstract.AbstractFixtures):
    @pytest.fixture(scope="class")
    def fs(self, fdt: FdtFileSystem) -> FdtFileSystem:
        return fdt

    @pytest.fixture
    def fs_path(self, fs: FdtFileSystem) -> Iterator[str]:
        fs.makedirs("/suite", exist_ok=True)
        yield "/suite"
        fs.rm("/suite", recursive=True)

    @pytest.fixture
    def fs_join(self) -> Any:
        return lambda *parts: "/".join(parts)


class TestCopy(abstract.AbstractCopyTests, Fixtures):
    pass


class TestGet(abstract.AbstractGetTests, Fixtures):
    pass


class TestPut(abstract.AbstractPutTests, Fixtures):
    pass


class TestOpen(abstract.AbstractOpenTests, Fixtures):
    pass


class TestPipe(abstract.AbstractPipeTests, Fixtures):
    pass


# What fsspec's tests do not look at.


@pytest.fixture
def here() -> pathlib.Path:
    """A directory of the server."""
    place = ROOT / f"place-{random.getrandbits(64):x}"
    place.mkdir()
    return place


def path(place: pathlib.Path) -> str:
    return "/" + str(place.relative_to(ROOT))


def requests(fs: FdtFileSystem) -> Any:
    """Counts requests, of which each is one round trip."""
    return mock.patch.object(fs.client, "start", wraps=fs.client.start)


def test_a_url_opens_by_its_entry_point(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    (here / "a").write_bytes(b"text")
    with fsspec.open(URL + path(here / "a"), "rt") as file:
        assert file.read() == "text"
    fs, name = fsspec.core.url_to_fs(URL + path(here / "a"))
    assert (fs, name) == (fdt, path(here / "a"))
    assert fs.unstrip_protocol(name) == URL + path(here / "a")
    assert FdtFileSystem("::1", 2, **OPTIONS).client.url("/x") == "fdt://[::1]:2/x"


def test_random_ranges_are_those_of_the_file(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    # 3 GiB, of which most is a hole: ranges are in the data, the hole, and over their edges.
    size = 3 << 30
    islands = [(seed << 27, random.Random(seed).randbytes(300_000)) for seed in range(24)]
    with open(here / "large", "wb") as file:
        for offset, data in islands:
            file.seek(offset)
            file.write(data)
        file.truncate(size)
    choice = random.Random(1)
    starts, ends = [], []
    for number in range(1_000):
        base = choice.choice(islands)[0] if number % 4 else choice.randrange(size)
        starts.append(max(0, base + choice.randrange(-5_000, 320_000)))
        ends.append(starts[-1] + choice.randrange(20_000))
    with requests(fdt) as counted:
        found = fdt.cat_ranges([path(here / "large")] * 1_000, starts, ends)
    # All at once, and so one round trip.
    assert counted.call_count < 10
    with open(here / "large", "rb") as file:
        for start, end, data in zip(starts, ends, found):
            file.seek(start)
            assert data == file.read(end - start)
    assert fdt.cat_file(path(here / "large"), size - 10) == bytes(10)
    assert fdt.cat_file(path(here / "large"), -10, -2) == bytes(8)


def test_round_trips(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    (here / "d").mkdir()
    for number in range(50):
        (here / f"d/f{number}").write_bytes(b"x" * number)
    (here / "large").write_bytes(random.randbytes(3_000_000))
    for work, most in [
        (lambda: fdt.info(path(here / "large")), 1),
        # At once, so that both are one round trip.
        (lambda: fdt.ls(path(here / "d")), 2),
        (lambda: fdt.find(path(here)), 2),
        (lambda: fdt.cat_file(path(here / "large"), 5, 10), 1),
        (lambda: fdt.cat_ranges([path(here / f"d/f{n}") for n in range(50)], None, None), 1),
        # The size, and then all of it at once: its reader asks for less than what is read ahead.
        (lambda: iter_parts(fdt, path(here / "large")), 3),
    ]:
        with requests(fdt) as counted:
            work()
        assert counted.call_count <= most


def iter_parts(fs: FdtFileSystem, name: str) -> List[bytes]:
    with fs.open(name) as file:
        return list(iter(lambda: file.read(10_000), b""))


def test_failures_are_those_of_files(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    (here / "f").write_bytes(b"abc")
    (here / "d").mkdir()
    with pytest.raises(FileNotFoundError) as missing:
        fdt.cat_file(path(here / "none"))
    assert isinstance(missing.value.__cause__, fdt_client.NotFound)
    for work in (fdt.info, fdt.open, fdt.ls, fdt.rm, fdt.checksum, fdt.modified):
        with pytest.raises(FileNotFoundError):
            work(path(here / "none"))
    with pytest.raises(FileExistsError):
        fdt.mkdir(path(here / "d"))
    with pytest.raises(FileExistsError):
        fdt.makedirs(path(here / "d"))
    with pytest.raises(OSError):
        fdt.rmdir(path(here / "f"))
    with pytest.raises(PermissionError):
        fdt.cat_file("/../etc/passwd")
    found = fdt.cat_ranges([path(here / "f"), path(here / "none"), path(here / "d")], [1, 0, 0], [2, 1, 1])
    assert found[0] == b"b"
    assert [getattr(each, "errno", None) for each in found[1:]] == [errno.ENOENT, errno.EIO]
    with pytest.raises(FileNotFoundError):
        fdt.cat_ranges([path(here / "f"), path(here / "none")], 0, 1, on_error="raise")
    assert fdt.cat([path(here / "f"), path(here / "none")], on_error="omit") == {path(here / "f"): b"abc"}
    assert not fdt.exists(path(here / "none"))


def test_links_are_what_they_lead_to(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    (here / "f").write_bytes(b"abc")
    (here / "d").mkdir()
    for name, target in [("to-f", "f"), ("to-d", "d"), ("to-none", "none"), ("out", "/etc/passwd")]:
        (here / name).symlink_to(target)
    kinds = {each["name"].rsplit("/", 1)[1]: (each["type"], each["size"]) for each in fdt.ls(path(here))}
    assert kinds == {
        "d": ("directory", 0),
        "f": ("file", 3),
        "out": ("link", 0),
        "to-d": ("directory", 0),
        "to-f": ("file", 3),
        "to-none": ("link", 0),
    }
    assert fdt.info(path(here / "to-f"))["size"] == 3
    assert fdt.cat_file(path(here / "to-f")) == b"abc"


def test_files_are_written_renamed_and_removed(fdt: FdtFileSystem, here: pathlib.Path, tmp_path: pathlib.Path) -> None:
    name = path(here / "new/dir/f")
    large = random.randbytes(12_000_000)
    with fdt.open(name, "wb") as file:
        file.write(large)
        assert not (here / "new").exists()
    assert (here / "new/dir/f").read_bytes() == large
    with fdt.open(name, "ab") as file:
        file.write(b"more")
    assert (here / "new/dir/f").read_bytes() == large + b"more"
    before = fdt.checksum(name)
    fdt.mv(name, path(here / "g"))
    assert fdt.checksum(path(here / "g")) == before
    fdt.mv(path(here / "g"), path(here / "new/dir") + "/")
    assert (here / "new/dir/g").exists()
    fdt.mv(path(here / "new/dir"), path(here / "moved"))
    fdt.pipe_file(path(here / "moved/g"), b"other")
    assert fdt.checksum(path(here / "moved/g")) != before
    fdt.rm(path(here / "moved"), recursive=True)
    assert not (here / "moved").exists()
    with fdt.transaction:
        with fdt.open(path(here / "late"), "wb") as file:
            file.write(b"1")
        assert not (here / "late").exists()
    assert (here / "late").read_bytes() == b"1"
    seen: List[int] = []
    callback = fsspec.callbacks.Callback(hooks={"seen": lambda size, value, **_: seen.append(value)})
    fdt.get_file(path(here / "late"), str(tmp_path / "sub" / "late"), callback=callback)
    assert (tmp_path / "sub" / "late").read_bytes() == b"1"
    assert seen[-1] == 1


def test_instances_travel_to_other_processes(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    (here / "f").write_bytes(b"abc")
    again = pickle.loads(pickle.dumps(fdt))
    assert again.cat_file(path(here / "f")) == b"abc"
    child = os.fork()
    if child == 0:
        os._exit(0 if fdt.cat_file(path(here / "f")) == b"abc" else 1)
    assert os.waitpid(child, 0)[1] == 0


# Programs.


def test_pandas_reads_a_table(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    import pandas

    table = pandas.DataFrame({"a": range(10_000), "b": [str(each) for each in range(10_000)]})
    table.to_csv(here / "t.csv", index=False)
    assert pandas.read_csv(URL + path(here / "t.csv"), dtype={"b": str}).equals(table)
    table.to_parquet(URL + path(here / "out.parquet"))
    assert pandas.read_parquet(here / "out.parquet").equals(table)


def test_pyarrow_reads_columns(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    import pyarrow
    import pyarrow.dataset
    import pyarrow.parquet

    table = pyarrow.table({"a": list(range(100_000)), "b": [each * 0.5 for each in range(100_000)]})
    (here / "set").mkdir()
    for number in range(3):
        pyarrow.parquet.write_table(table, here / f"set/part-{number}.parquet", row_group_size=10_000)
    found = pyarrow.parquet.read_table(path(here / "set/part-0.parquet"), columns=["b"], filesystem=fdt)
    assert found.equals(table.select(["b"]))
    whole = pyarrow.dataset.dataset(path(here / "set"), filesystem=fdt, format="parquet")
    assert whole.count_rows(filter=pyarrow.dataset.field("a") < 10) == 30


def test_zarr_and_xarray_read_a_store(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    import numpy
    import xarray
    import zarr

    values = numpy.arange(400 * 300.0).reshape(400, 300)
    zarr.create_array(str(here / "z"), data=values, chunks=(50, 60))
    store = zarr.storage.FsspecStore.from_url(URL + path(here / "z"), storage_options=OPTIONS, read_only=True)
    assert numpy.array_equal(zarr.open_array(store, mode="r")[120:260, 40:200], values[120:260, 40:200])
    data = xarray.Dataset({"t": (("y", "x"), values)})
    data.to_zarr(str(here / "x"))
    found = xarray.open_zarr(URL + path(here / "x"), storage_options=OPTIONS, chunks=None)
    assert found.identical(data)


def test_uproot_reads_a_root_file(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    import numpy
    import uproot

    values = numpy.random.default_rng(1).normal(size=200_000)
    with uproot.recreate(here / "events.root") as file:
        file["tree"] = {"pt": values, "n": numpy.arange(200_000)}
    with uproot.open(URL + path(here / "events.root"), **OPTIONS) as file:
        assert numpy.array_equal(file["tree"]["pt"].array(library="np"), values)
        assert list(file["tree"]["n"].array(entry_start=1_000, entry_stop=1_003, library="np")) == [1000, 1001, 1002]


def test_dask_reads_and_writes(fdt: FdtFileSystem, here: pathlib.Path) -> None:
    import dask.bag
    import dask.dataframe
    import pandas

    for number in range(3):
        (here / f"part{number}.csv").write_text("x\n" + "".join(f"{number * 1000 + row}\n" for row in range(1000)))
    frame = dask.dataframe.read_csv(f"{URL}{path(here)}/part*.csv", blocksize="1KiB")
    assert frame.npartitions > 3
    assert frame.x.sum().compute(scheduler="threads") == sum(range(3000))
    frame.to_parquet(f"{URL}{path(here)}/table.parquet")
    assert pandas.read_parquet(f"{URL}{path(here)}/table.parquet").x.sum() == sum(range(3000))
    bag = dask.bag.read_text(f"{URL}{path(here)}/part*.csv")
    # Each process starts its own fdt.
    assert bag.count().compute(scheduler="processes", num_workers=2) == 3003
