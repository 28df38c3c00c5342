"""Compares the time in which the program reads the formats of docs/exchange.md with the time of scripts in Python.

    cargo build --release -p inputanim-cli --all-features
    python comparison/exchange.py target/release/inputanim

The packages are those of readers/requirements.txt and SciPy; for NVIDIA's reader of Isaac Capture, those of
readers/isaac/requirements.txt. The script prints the formats whose packages are installed. Both sides run on one processor, and their processor times are compared. The imports of Python do not
count. The start of the program, and the recordings that it writes, count.

    ... comparison/exchange.py target/release/inputanim --episodes 10000

instead scans folders of EgoDex files, and prints the largest amount of memory, which GNU `time` measures.
"""

import argparse
import importlib.util
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# One processor for both sides, and for the threads of libraries.
os.sched_setaffinity(0, {next(iter(os.sched_getaffinity(0)))})

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
for folder in ("readers", "readers/egodex"):
    sys.path.insert(0, str(ROOT / folder))


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = Path(path).resolve(), folder

    def run(self, *arguments):
        """Runs the program, and returns its output."""
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8")
        if done.returncode not in (0, 3):
            sys.exit(done.stderr)
        return done.stdout

    def generated(self, *options):
        """Returns a recording of two hands."""
        path = self.folder / "generated.bin"
        self.run("generate", "two-hands", "--seed", "1", "--force", "-q", "-o", path, *options)
        return path

    def seconds(self, files, *options):
        """Returns the processor time in which the program converts files to recordings."""
        output = self.folder / "recordings"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run("convert", "--force", "--to", "bin", "-q", "--jobs", "1", "-o", output, *options, *files)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def module(path):
    """Returns a module of the repository. Two modules have the name `files`."""
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").removesuffix(".py"), ROOT / path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def copies(path, count):
    """Returns copies of a file with the same content."""
    found = [path.with_name(f"{number:04}-{path.name}") for number in range(count)]
    for file in found:
        file.write_bytes(path.read_bytes())
    return found


def compare(program, what, files, read, *options):
    """Prints the time per file of the program, and of a function that reads a file."""
    read(files[0])
    start = time.process_time()
    for file in files:
        read(file)
    theirs = (time.process_time() - start) / len(files)
    ours = program.seconds(files, *options) / len(files)
    size = files[0].stat().st_size
    print(f"{what:44} {size / 1e6:6.1f} {1e3 * ours:10.2f} {1e3 * theirs:10.2f} {theirs / ours:7.1f}", flush=True)
    for file in files:
        file.unlink()


def egodex_file(program, seconds=9):
    """Writes an EgoDex episode as h5py does by default."""
    from episodes import RATE, confidences, matrices, write

    os.environ["INPUTANIM_PROGRAM"] = str(program.path)
    count = seconds * RATE
    seen, transforms = matrices(program.generated("--seconds", seconds), count)
    # Episodes always have poses. The confidences state that a hand is not seen.
    for poses in transforms.values():
        poses[~poses.any(axis=(1, 2))] = np.eye(4)
    path = program.folder / "episode.hdf5"
    write(path, transforms, confidences(seen, [name for name in transforms if name != "camera"]))
    return path


def egodex(program):
    import h5py
    from scipy.spatial.transform import Rotation
    from episodes import JOINTS

    names = ["camera", *(side + joint for side in ("left", "right") for joint in JOINTS.values())]

    def read(path):
        with h5py.File(path) as file:
            transforms = file["transforms"]
            matrices = np.stack([transforms[name][()] for name in names])
            sure = np.stack([file[f"confidences/{side}Hand"][()] for side in ("left", "right")])
            description = file.attrs["llm_description"]
        rotations = Rotation.from_matrix(matrices[..., :3, :3].reshape(-1, 3, 3)).as_quat()
        return matrices[..., :3, 3], rotations.reshape(*matrices.shape[:2], 4), sure >= 0.5, description

    compare(program, "egodex, 9 s: h5py, NumPy, SciPy", copies(egodex_file(program), 50), read)


def xdf(program):
    import pyxdf

    made = module("readers/xdf/files.py")
    rng = random.Random(1)
    tracker = made.Stream(rng, 1, labels=["px", "py", "pz"], form="float32", kind="MoCap", rate=250)
    tracker.rows = [(number / 250, [rng.gauss(0, 1) for _ in tracker.labels]) for number in range(1_000_000)]
    path = program.folder / "tracker.xdf"
    path.write_bytes(made.file([tracker], rng))
    mappings = [f"--map=head.position.{axis}=stream 1/p{axis}" for axis in "xyz"]
    compare(program, "xdf, a tracker of 3 channels: pyxdf", [path], lambda path: pyxdf.load_xdf(str(path)), *mappings)
    path = program.folder / "hands.xdf"
    program.run("convert", program.generated("--seconds", "120"), path, "--rate", "90", "-q")
    compare(program, "xdf, hands of 380 channels: pyxdf", copies(path, 3), lambda path: pyxdf.load_xdf(str(path)))


def xror(program):
    import bson
    import fpzip

    made = module("readers/xror/files.py")
    # Two minutes of three devices that wander, and a thousand events, as BOXRR-23 has them.
    rng, count = np.random.default_rng(1), 10_800
    columns = [(np.arange(count) / 90 + rng.normal(0, 1e-4, count))[:, None]]
    for height in (1.6, 1.1, 1.1):
        columns.append(np.cumsum(rng.normal(0, 0.002, (count, 3)), axis=0) + [0, height, 0])
        rotations = np.cumsum(rng.normal(0, 0.01, (count, 4)), axis=0) + [0, 0, 0, 3]
        columns.append(rotations / np.linalg.norm(rotations, axis=1)[:, None])
    cuts = made.event("gc", "Good Cut", ["spawnTime"] * 15, np.sort(rng.normal(60, 20, (1000, 16)), axis=0))
    path = program.folder / "boxrr.xror"
    path.write_bytes(made.document(np.hstack(columns), [cuts]))

    def decoded(path):
        data = bson.decode(path.read_bytes())
        return data, fpzip.decompress(data["frames"])[0][0], [fpzip.decompress(e["floatData"])[0][0] for e in data["events"]]

    def as_arrays(path):
        data, frames, events = decoded(path)
        return frames[:, 0] - frames[0, 0], np.split(frames[:, 1:22], 3, axis=1), [event[:, 0] for event in events]

    def as_lists(path):
        # The library of the format returns lists of numbers, from which a program makes arrays.
        data, frames, events = decoded(path)
        lists = frames.tolist(), [event.tolist() for event in events]
        frames, events = np.array(lists[0]), [np.array(event) for event in lists[1]]
        return frames[:, 0] - frames[0, 0], np.split(frames[:, 1:22], 3, axis=1), [event[:, 0] for event in events]

    compare(program, "xror, 120 s: PyMongo, fpzip, lists, NumPy", copies(path, 30), as_lists)
    compare(program, "xror, 120 s: PyMongo, fpzip, NumPy", copies(path, 30), as_arrays)


def isaac(program):
    from isaacteleop.deviceio_session import McapReplayConfig, ReplaySession
    from isaacteleop.deviceio_trackers import HandTracker
    from mcap.reader import make_reader
    from mcap.writer import CompressionType, Writer

    written, path = program.folder / "own.isaac.mcap", program.folder / "hands.isaac.mcap"
    program.run("convert", program.generated("--seconds", "60"), written, "-q")
    # Without the recording that the program adds to files of its own.
    with written.open("rb") as source, path.open("wb") as target:
        writer = Writer(target, compression=CompressionType.NONE)
        writer.start(profile="", library="comparison")
        schemas, channels, steps = {}, {}, set()
        for schema, channel, message in make_reader(source).iter_messages():
            if channel.topic not in ("hands/left_hand", "hands/right_hand"):
                continue
            if schema.id not in schemas:
                schemas[schema.id] = writer.register_schema(schema.name, schema.encoding, schema.data)
            if channel.id not in channels:
                known = schemas[schema.id]
                channels[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, known)
            writer.add_message(channels[channel.id], message.log_time, message.data, message.publish_time)
            steps.add(message.log_time)
        writer.finish()
    written.unlink()

    def read(path):
        hands, found = HandTracker(), []
        with ReplaySession.run(McapReplayConfig(str(path), [(hands, "hands")])) as session:
            for _ in steps:
                session.update()
                for hand in (hands.get_left_hand(session), hands.get_right_hand(session)):
                    if hand is not None:
                        found.append((np.array(hand.joints.positions), np.array(hand.joints.orientations)))
        return found

    compare(program, "isaac, 60 s: NVIDIA's reader (C++), NumPy", copies(path, 3), read, "--input-format", "isaac")


def scale(program, episodes):
    """Prints the time and the memory of scans over growing folders of episodes."""
    # Hard links, so that the episodes are in the page cache and need no space.
    one = egodex_file(program)
    folder = program.folder / "episodes"
    made = 0
    for count in (episodes // 100, episodes // 10, episodes):
        for number in range(made, count):
            part = folder / f"{number // 1000:04}"
            part.mkdir(parents=True, exist_ok=True)
            os.link(one, part / f"{number}.hdf5")
        made = count
        table = program.folder / "rows.parquet"
        for what in (["info", "--format", "ndjson"], ["convert", "--joints", "right.Wrist", "--force", "-o", table]):
            options = ["-r", folder, "--input-format", "egodex"]
            start = time.perf_counter()
            command = ["/usr/bin/time", "-f", "%M", program.path, *what, *options]
            done = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            seconds = time.perf_counter() - start
            if done.returncode not in (0, 3):
                sys.exit(done.stderr.decode())
            rate, memory = count / seconds, int(done.stderr.split()[-1]) / 1024
            print(f"{what[0]:8} {count:8,} episodes {seconds:8.2f} s {rate:8.0f} episodes/s {memory:7.0f} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--episodes", type=int, help="scan folders with up to this number of EgoDex episodes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(arguments.program, Path(folder))
        if arguments.episodes:
            scale(program, arguments.episodes)
            return
        print(f"{'format and script':44} {'MB':>6} {'ours ms':>10} {'theirs ms':>10} {'ratio':>7}")
        for part in (egodex, xdf, xror, isaac):
            try:
                part(program)
            except ImportError as error:
                print(f"{part.__name__}: skipped: {error}")


main()
