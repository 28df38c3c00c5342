"""Files that are written keep links, modes and owners, and are complete."""

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

import inputanim

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of Unix")


def test_a_link_stays_and_the_file_behind_it_is_replaced(wave: inputanim.Recording, tmp_path: Path) -> None:
    target, link = tmp_path / "target.bin", tmp_path / "link.bin"
    target.write_bytes(b"old")
    link.symlink_to(target)
    wave.write(link)
    assert link.is_symlink() and target.read_bytes() == wave.to_bytes()
    link.unlink()
    target.unlink()
    link.symlink_to(target)
    with pytest.raises(FileNotFoundError, match="link to a file that does not exist"):
        wave.write(link)


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_replaced_file_keeps_its_mode(wave: inputanim.Recording, tmp_path: Path, mode: int) -> None:
    path = tmp_path / "take.bin"
    path.write_bytes(b"old")
    path.chmod(mode)
    wave.write(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [path]


def test_hard_links_stay_one_file(wave: inputanim.Recording, tmp_path: Path) -> None:
    first, second = tmp_path / "a.bin", tmp_path / "b.bin"
    first.write_bytes(b"old")
    os.link(first, second)
    wave.write(first)
    assert second.read_bytes() == wave.to_bytes() and first.samefile(second)


def test_a_fifo_and_a_device_get_the_content(wave: inputanim.Recording, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.json"
    os.mkfifo(fifo)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(fifo.read_bytes()))
    reader.start()
    wave.write(fifo)
    reader.join()
    assert found[0].startswith(b"{") and stat.S_ISFIFO(fifo.stat().st_mode)
    wave.write("/dev/null", format="bin")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_errors_name_the_file_and_are_those_of_the_system(wave: inputanim.Recording, tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"):
        wave.write(tmp_path, format="bin")
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        wave.write(tmp_path / "no" / "take.bin")


def test_results_of_conversions_have_a_limit_of_bytes(wave: inputanim.Recording) -> None:
    unlimited, _ = wave.write_bytes("json", no_limits=True)
    assert unlimited == wave.write_bytes("json")[0]
    with pytest.raises(inputanim.InvalidArgument, match="no_limits"):
        wave.write_bytes("json", no_limits="yes")  # type: ignore[arg-type]
