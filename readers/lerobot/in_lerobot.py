"""Reads datasets with LeRobot itself: every frame, batches of a data loader, LeRobot's own statistics, and a training
step of a policy."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The package `datasets` would otherwise ask its hub for each dataset.
os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
sys.path.insert(0, str(Path(__file__).parent.parent))
from dataset import Dataset, expect
from inputanim import OUT, recordings

os.environ["HF_HOME"] = str(OUT / "cache")

import numpy as np
import torch
from lerobot.configs.types import FeatureType
from lerobot.datasets.compute_stats import aggregate_stats, compute_episode_stats
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from lerobot.datasets.utils import dataset_to_policy_features
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy

STEPS = 8


def convert(name, *options):
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    command = [os.environ["INPUTANIM_PROGRAM"], "convert", *recordings(), "--to", "lerobot", "-o", folder, *options]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, encoding="utf-8")
    # A damaged recording of the corpus is not part of the dataset.
    expect(done.returncode in (0, 1, 3), done.stderr)
    return folder


def same_stats(dataset, mine):
    """Compares the statistics of each episode and of the dataset with the functions of LeRobot."""
    all_stats = []
    for row, (start, end) in enumerate(mine.rows(["dataset_from_index", "dataset_to_index"])):
        # Double precision: LeRobot subtracts squares, which loses most digits of single precision.
        data = {name: values[start:end].astype(np.float64) for name, values in mine.frames.items()}
        stats = compute_episode_stats(data, dataset.features)
        found = {
            feature: {name: np.array(mine.episodes[f"stats/{feature}/{name}"][row].as_py()) for name in stats[feature]}
            for feature in stats
        }
        same(found, stats, f"episode {row}")
        all_stats.append(found)
    aggregated = aggregate_stats(all_stats)
    for expected in aggregated.values():
        # LeRobot computes the quantiles of a dataset from those of its episodes: 0.4.4 takes their mean, later code their bounds.
        # Ours are those of all frames, and check.py compares them with NumPy.
        for name in [name for name in expected if name.startswith("q")]:
            del expected[name]
    same(dataset.meta.stats, aggregated, "dataset")


def same(found, stats, what):
    for feature, expected in stats.items():
        # A quantile of LeRobot is a bound of one of 5000 bins.
        bin = (expected["max"] - expected["min"]) / 5000
        for name, values in expected.items():
            allowed = bin * 1.001 + 1e-6 if name.startswith("q") else 2e-6
            difference = np.abs(found[feature][name] - values)
            expect(found[feature][name].shape == values.shape, f"{what}: {feature}, {name}: shape")
            expect((difference <= allowed + 1e-7 * np.abs(values)).all(), f"{what}: {feature}, {name}: {difference.max()}")


def same_frames(dataset, mine):
    """Reads every frame, and batches with future actions."""
    expect(len(dataset) == mine.info["total_frames"], f"{len(dataset)} frames")
    for index in range(len(dataset)):
        item = dataset[index]
        for name in [*mine.vectors, *mine.labels]:
            # A feature of one number is a number.
            found = item[name].numpy().reshape(-1)
            expect(np.array_equal(found, mine.frames[name][index].reshape(-1)), f"frame {index}: {name}")
        for name in ("timestamp", "frame_index", "episode_index", "index", "task_index"):
            expect(item[name].item() == mine.frames[name][index], f"frame {index}: {name}")
        expect(item["task"] == mine.tasks.index[mine.frames["task_index"][index]], f"frame {index}: task")


def loader(folder, fps):
    deltas = {"observation.state": [0.0], "action": [step / fps for step in range(STEPS)]}
    dataset = LeRobotDataset("local/dataset", root=folder, delta_timestamps=deltas)
    return torch.utils.data.DataLoader(dataset, batch_size=32)


def check_batches(folder, mine):
    """Checks actions of the future, which are padded at the end of an episode."""
    ends = dict(mine.rows(["episode_index", "dataset_to_index"]))
    for batch in loader(folder, mine.info["fps"]):
        for row, index in enumerate(batch["index"].tolist()):
            last = ends[batch["episode_index"][row].item()] - 1
            wanted = [min(index + step, last) for step in range(STEPS)]
            expect(np.array_equal(batch["action"][row].numpy(), mine.frames["action"][wanted]), f"frame {index}: actions")
            pads = [index + step > last for step in range(STEPS)]
            expect(batch["action_is_pad"][row].tolist() == pads, f"frame {index}: padding")


def train(folder, mine):
    """Does two steps of training with a small policy, whose loss must become smaller."""
    torch.manual_seed(1)
    dataset = LeRobotDataset("local/dataset", root=folder)
    features = dataset_to_policy_features(dataset.features)
    outputs = {name: feature for name, feature in features.items() if feature.type is FeatureType.ACTION}
    # ACT needs an image or the state of an environment, which is the state here.
    inputs = {name: feature for name, feature in features.items() if name not in outputs}
    environment = {"observation.environment_state": type(inputs["observation.state"])(type=FeatureType.ENV, shape=inputs["observation.state"].shape)}
    config = ACTConfig(
        input_features={**inputs, **environment},
        output_features=outputs,
        chunk_size=STEPS,
        n_action_steps=STEPS,
        dim_model=32,
        n_heads=2,
        dim_feedforward=64,
        n_encoder_layers=1,
        n_vae_encoder_layers=1,
        device="cpu",
        dropout=0.0,
    )
    policy = ACTPolicy(config)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    batch = next(iter(loader(folder, mine.info["fps"])))
    batch["observation.state"] = batch["observation.state"].squeeze(1)
    batch["observation.environment_state"] = batch["observation.state"]
    losses = []
    for _ in range(5):
        loss, _ = policy.forward(batch)
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    expect(np.isfinite(losses).all() and losses[-1] < losses[0], f"losses: {losses}")


def check(name, *options):
    folder = convert(name, *options)
    mine = Dataset(folder)
    dataset = LeRobotDataset("local/dataset", root=folder)
    same_stats(dataset, mine)
    same_frames(dataset, mine)
    check_batches(folder, mine)
    # Two episodes of all are found by the statistics of the files.
    if mine.info["total_episodes"] > 2:
        some = LeRobotDataset("local/dataset", root=folder, episodes=[0, 2])
        lengths = [length for (length,) in mine.rows(["length"])]
        expect(len(some) == lengths[0] + lengths[2], "selected episodes")
    return folder, mine


check("world")
check("markers", "--segments", "markers", "--frame", "wrist", "--joints", "right") if len(recordings()) <= 4 else None
check("forms", "--joints", "right", "--frame", "wrist", "--rotations", "6d", "--action", "delta", "--gripper", "aperture", "--scale-hands")
train(*check("head", "--frame", "head", "--joints", "hands", "--rate", "15", "--space", "openxr"))
