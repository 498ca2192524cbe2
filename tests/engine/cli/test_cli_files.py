"""Files are read and written byte for byte, and everything about them is kept."""

import errno
import os
import signal
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_engine import names

from copyspan.cli import files
from copyspan.cli.files import check_writable, read_file, write_file
from copyspan.errors import SourceError

NOBODY = 65534


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f.txt"
    path.write_bytes(b"one\ntwo\n")
    return path


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may use."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


@pytest.fixture
def as_nobody(open_folder: Path) -> Iterator[Path]:
    """For root, whom no mode holds back: be someone else while the test runs."""
    if os.getuid() != 0:
        yield open_folder
        return
    os.setresgid(NOBODY, NOBODY, 0)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield open_folder
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


@pytest.mark.parametrize(
    ("before", "answer", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
        (b"a\rb\nc\r\nd", "a\rb\nC\r\nd", b"a\rb\nC\r\nd"),
        (b"\xef\xbb\xbfa\nb", "a\nB", b"\xef\xbb\xbfa\nB"),
        (b"\xef\xbb\xbf", "new\n", b"\xef\xbb\xbfnew\n"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa\n", "\ufeffb\n", b"\xef\xbb\xbf\xef\xbb\xbfb\n"),  # the second one is text
        (
            "\u00a0“x”\f\x0b\x85\u2028 😀\na".encode(),
            "\u00a0“x”\f\x0b\x85\u2028 😀\nb",
            "\u00a0“x”\f\x0b\x85\u2028 😀\nb".encode(),
        ),
        (b"a\n\n\n", "b\n\n\n", b"b\n\n\n"),
        (b"only\n", "", b""),
    ],
)
def test_every_other_byte_stays(cli, file, before, answer, after):
    file.write_bytes(before)
    result = cli(answer).edit(file, "--write")
    assert (result.exit_code, file.read_bytes()) == (0, after)


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o4711, 0o666])
def test_the_mode_stays(cli, file, mode):
    file.chmod(mode)
    cli("new\n").edit(file, "--write")
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_the_owner_stays(cli, file):
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(file, NOBODY, NOBODY)
    cli("new\n").edit(file, "--write")
    assert (file.stat().st_uid, file.stat().st_gid, file.read_text()) == (NOBODY, NOBODY, "new\n")


def test_extended_attributes_stay(cli, file):
    try:
        os.setxattr(file, "user.colour", b"green")
    except (AttributeError, OSError):
        pytest.skip("no extended attributes here")
    cli("new\n").edit(file, "--write")
    assert (os.getxattr(file, "user.colour"), file.read_text()) == (b"green", "new\n")


def test_the_time_is_new(cli, file):
    os.utime(file, (1, 1))
    cli("new\n").edit(file, "--write")
    assert file.stat().st_mtime > 1_000_000_000


def test_the_file_is_replaced_and_nothing_stays_beside_it(cli, file):
    inode = file.stat().st_ino
    with file.open() as reader:
        cli("new\n").edit(file, "--write")
        assert reader.read() == "one\ntwo\n"  # who had it open reads the old content to its end
    assert file.stat().st_ino != inode
    assert names(file.parent) == ["f.txt"]


def test_a_symbolic_link_stays_and_its_file_changes(cli, file, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "link").symlink_to("../first")
    (tmp_path / "first").symlink_to(file)
    assert cli("new\n").edit(folder / "link", "--write").exit_code == 0
    assert (folder / "link").readlink() == Path("../first")
    assert (tmp_path / "first").is_symlink()
    assert file.read_text() == "new\n"
    assert names(folder) == ["link"]


def test_hard_links_stay_together(cli, file, tmp_path):
    os.link(file, tmp_path / "second")
    cli("new\n").edit(file, "--write")
    assert (tmp_path / "second").read_text() == "new\n"
    assert file.samefile(tmp_path / "second")


def test_a_shorter_text_in_place_leaves_no_rest(cli, file, tmp_path):
    os.link(file, tmp_path / "second")
    cli("").edit(file, "--write")
    assert file.read_bytes() == b""


def test_a_file_that_changed_meanwhile_is_left_alone(cli, file):
    engine = cli("new\n")
    engine.engine.meanwhile = lambda: file.write_text("someone else\n")
    result = engine.edit(file, "--write")
    assert (result.exit_code, file.read_text()) == (3, "someone else\n")
    assert "changed on disk meanwhile" in result.stderr


def test_a_file_that_vanished_meanwhile_does_not_come_back(cli, file):
    engine = cli("new\n")
    engine.engine.meanwhile = file.unlink
    result = engine.edit(file, "--write")
    assert (result.exit_code, "does not exist" in result.stderr) == (3, True)
    assert not file.exists()


def test_a_full_disk_leaves_the_file(cli, file, monkeypatch):
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)
    result = cli("new\n").edit(file, "--write")
    assert (result.exit_code, file.read_text()) == (3, "one\ntwo\n")
    assert "cannot be written: No space left on device" in result.stderr
    assert names(file.parent) == ["f.txt"]


def test_a_full_disk_leaves_a_file_with_two_names(cli, file, tmp_path, monkeypatch):
    calls = []

    def full_once(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    os.link(file, tmp_path / "second")
    monkeypatch.setattr(files.os, "fsync", full_once)
    assert cli("new\n").edit(file, "--write").exit_code == 3
    assert (tmp_path / "second").read_text() == "one\ntwo\n"


def test_an_interrupt_waits_until_the_file_is_whole(file, monkeypatch):
    """The signal comes between writing and renaming; its effect comes after both."""
    fsync = os.fsync

    def interrupted(handle: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        fsync(handle)

    monkeypatch.setattr(files.os, "fsync", interrupted)
    source = read_file(file)
    with pytest.raises(KeyboardInterrupt):
        write_file(source, b"new\n")
    assert file.read_text() == "new\n"
    assert names(file.parent) == ["f.txt"]


def test_a_read_only_file_is_refused_before_the_model_works(cli, as_nobody):
    path = as_nobody / "f.txt"
    path.write_text("one\n")
    path.chmod(0o444)
    engine = cli("new\n")
    for option in ("--write", "--check=true"):
        result = engine.edit(path, option)
        assert (result.exit_code, path.read_text()) == (3, "one\n")
        assert "cannot be written (-r--r--r--)" in result.stderr
    assert engine.engine.requests == []
    assert engine.edit(path, "--diff").exit_code == 0


def test_a_file_that_cannot_be_read(cli, as_nobody):
    path = as_nobody / "f.txt"
    path.touch(0o200)
    result = cli("new\n").edit(path)
    assert (result.exit_code, "cannot be read: Permission denied" in result.stderr) == (3, True)


def test_in_a_closed_folder_the_file_is_written_in_place(cli, as_nobody):
    path = as_nobody / "closed" / "f.txt"
    path.parent.mkdir()
    path.write_text("one\n")
    path.parent.chmod(0o555)
    inode = path.stat().st_ino
    assert cli("new\n").edit(path, "--write").exit_code == 0
    assert (path.read_text(), path.stat().st_ino) == ("new\n", inode)
    path.parent.chmod(0o755)


def test_a_file_of_someone_else_keeps_its_owner(cli, open_folder, request):
    if os.getuid() != 0:
        pytest.skip("only root can make a file for someone else")
    path = open_folder / "f.txt"
    path.write_text("one\n")
    path.chmod(0o666)
    request.getfixturevalue("as_nobody")
    assert cli("new\n").edit(path, "--write").exit_code == 0
    assert (path.read_text(), path.stat().st_uid) == ("new\n", 0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666
    assert names(open_folder) == ["f.txt"]


def test_check_writable_accepts_a_writable_file(file):
    check_writable(read_file(file))


def test_a_mode_changed_meanwhile_stays_changed(cli, file):
    engine = cli("new\n")
    engine.engine.meanwhile = lambda: file.chmod(0o700)
    engine.edit(file, "--write")
    assert stat.S_IMODE(file.stat().st_mode) == 0o700


def test_a_name_that_is_not_utf8(cli, tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))
    path.write_text("one\n")
    assert cli("new\n").edit(path, "--write").exit_code == 0
    assert path.read_text() == "new\n"
    assert cli("newer\n").edit(path, "--json").exit_code == 0
    path.unlink()
    path.mkdir()
    with pytest.raises(SourceError, match=r"caf\ufffd\.txt is a folder"):
        read_file(path)
