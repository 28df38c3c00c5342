"""Compares the time to write a dataset with the time of LeRobot itself for the same frames, on one processor.

    cargo build --release --features lerobot
    python comparison/lerobot/speed.py target/release/inputanim [RECORDINGS] [SECONDS]

The interpreter needs the packages of readers/lerobot.txt. The program reads and samples recordings, and writes the
dataset. LeRobot gets the sampled frames in memory, and writes them with `add_frame` and `save_episode`. Times are those of
the processor, so that other programs do not change them.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# One processor for both, also for the threads of libraries.
os.sched_setaffinity(0, {next(iter(os.sched_getaffinity(0)))})

import numpy as np
import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset

torch.set_num_threads(1)
sys.path.insert(0, str(Path(__file__).parent.parent.parent / "readers/lerobot"))
from dataset import Dataset



def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


program = Path(sys.argv[1]).resolve()
count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
seconds = sys.argv[3] if len(sys.argv) > 3 else "10"
with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    (folder / "study").mkdir()
    for number in range(count):
        recording = folder / f"study/{number:04}.bin"
        scene = ["two-hands", "reach", "wave", "pinch-drag"][number % 4]
        command = [program, "generate", scene, "--seconds", seconds, "--seed", str(number), "-q", "-o", recording]
        subprocess.run(command, check=True)

    ours = []
    for _ in range(3):
        shutil.rmtree(folder / "ours", ignore_errors=True)
        command = [program, "convert", "-q", "-r", folder / "study", "--to", "lerobot", "-o", folder / "ours", "--task", "move"]
        start = seconds_of_children()
        done = subprocess.run(command, stderr=subprocess.DEVNULL)
        # Exit code 3: a rotation of a generated recording looks damaged.
        if done.returncode not in (0, 3):
            sys.exit(f"exit code {done.returncode}")
        ours.append(seconds_of_children() - start)

    mine = Dataset(folder / "ours")
    features = {
        name: {"dtype": "float32", "shape": (len(mine.names),), "names": mine.names}
        for name in ("observation.state", "action")
    }
    episodes = mine.rows(["dataset_from_index", "dataset_to_index"])
    start = time.process_time()
    theirs = LeRobotDataset.create("local/theirs", 30, features, root=folder / "theirs", use_videos=False)
    for first, last in episodes:
        for frame in range(first, last):
            values = {name: mine.frames[name][frame] for name in features}
            theirs.add_frame({**values, "task": "move"})
        theirs.save_episode()
    theirs.finalize()
    python = time.process_time() - start

    again = LeRobotDataset("local/theirs", root=folder / "theirs")
    state = np.stack([row.numpy() for row in again.hf_dataset["observation.state"][:100]])
    assert np.array_equal(state, mine.frames["observation.state"][:100])
    best = min(ours)
    print(f"{len(episodes)} episodes, {mine.info['total_frames']} frames of {len(mine.names)} numbers, one processor")
    print(f"inputanim: {best:.3f} s, with reading and sampling (runs: {', '.join(f'{run:.3f}' for run in ours)})")
    print(f"LeRobot: {python:.3f} s, from frames in memory")
    print(f"ratio: {python / best:.1f}")
