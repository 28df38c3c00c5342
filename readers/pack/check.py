"""Reads packs with the library of the MCAP project for Python, and packs of this library with the program."""

import sys
from pathlib import Path

from mcap.reader import make_reader
from mcap.writer import Writer

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, recordings, run


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def content(folder):
    """Returns the files of a folder by their relative paths, with their bytes and times."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def fresh(name):
    """Returns the path of a folder that does not exist."""
    path = OUT / name
    for file in sorted(path.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    if path.exists():
        path.rmdir()
    return path


study, packs, again, theirs = map(fresh, ("study", "packs", "again", "theirs"))
for index, recording in enumerate(recordings(max_bytes=4 << 20)):
    path = study / f"p{index % 3}" / recording.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(recording.read_bytes())
(study / "a note.txt").write_text("ä")
(study / "empty").write_bytes(b"")
run("pack", study, "-o", packs, "--files", "3")

found = {}
for pack in sorted(packs.iterdir()):
    with pack.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        expect(reader.get_header().profile == "inputanim-pack", "the profile")
        [metadata] = reader.iter_metadata()
        expect((metadata.name, metadata.metadata) == ("inputanim-pack", {"version": "1"}), "the version")
        for attachment in reader.iter_attachments():
            found[attachment.name] = (attachment.data, attachment.log_time)
        summary = reader.get_summary()
        expect(len(summary.attachment_indexes) == summary.statistics.attachment_count, "the index")
    data = pack.read_bytes()
    for index in summary.attachment_indexes:
        start = index.offset + 41 + len(index.name.encode()) + len(index.media_type)
        expect(data[start : start + index.data_size] == found[index.name][0], "the place of the data")
expect(found == content(study), "the files of the packs are the files of the folder")
run("unpack", packs, "-o", again)
expect(content(again) == content(study), "the unpacked files are the files of the folder")

theirs.mkdir()
with (theirs / "1.pack.mcap").open("wb") as file:
    writer = Writer(file)
    writer.start(profile="inputanim-pack", library="check.py")
    writer.add_metadata("inputanim-pack", {"version": "1", "other": "entry"})
    for name, (data, time) in found.items():
        writer.add_attachment(0, time, name, "application/octet-stream", data)
    writer.finish()
unpacked = fresh("unpacked")
run("unpack", theirs, "-o", unpacked)
expect(content(unpacked) == content(study), "a pack of the library is unpacked")
print(f"{len(found)} files of {len(list(packs.iterdir()))} packs are equal, in both directions")
