"""Reads a dataset of LeRobot with PyArrow and Polars, and checks it against the rules of version 3.0 and against NumPy."""

import json
import math

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq

DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
EPISODES = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VECTORS = ["observation.state", "action"]
VALID = "valid"
NEXT_VALID, HAND_SIZE = "next.valid", "hand_size"
LABELS = ["next.done", "next.success"]
SCALARS = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64", "index": "int64", "task_index": "int64"}
QUANTILES = {"q01": 1, "q10": 10, "q50": 50, "q90": 90, "q99": 99}
STATISTICS = ["min", "max", "mean", "std", "count", *QUANTILES]


def expect(condition, message):
    if not condition:
        raise SystemExit(message)


class Dataset:
    """A dataset with its frames, episodes and tasks, whose files are checked when it is read."""

    def __init__(self, folder, most_mib=100):
        self.folder = folder
        self.info = json.loads((folder / "meta/info.json").read_text(encoding="utf-8"))
        self.stats = json.loads((folder / "meta/stats.json").read_text(encoding="utf-8"))
        features = self.info["features"]
        self.names = features["action"]["names"]
        self.forms = features["action"]["info"]
        self.vectors = [*VECTORS, VALID, *(name for name in (NEXT_VALID, HAND_SIZE) if name in features)]
        self.labels = [name for name in LABELS if name in features]
        self.most = most_mib << 20
        self.check_info()
        self.tasks = pandas.read_parquet(folder / "meta/tasks.parquet")
        expect(list(self.tasks["task_index"]) == list(range(len(self.tasks))), f"{folder}: indices of tasks")
        expect(self.tasks.index.is_unique, f"{folder}: tasks are not unique")
        data, self.data_paths = self.files("data", DATA)
        self.frames = {name: data[name].combine_chunks() for name in data.column_names}
        for name in self.vectors:
            length = len(features[name]["names"])
            # LeRobot reads a feature of one number as a number.
            values = self.frames[name] if length == 1 else self.frames[name].flatten()
            self.frames[name] = values.to_numpy().reshape(data.num_rows, length)
        self.parts = features[VALID]["names"]
        for name in [*self.labels, *SCALARS]:
            self.frames[name] = self.frames[name].to_numpy(zero_copy_only=False)
        self.episodes, self.episode_paths = self.files("meta/episodes", EPISODES)
        self.check_files()
        self.check_frames()

    def files(self, kind, pattern):
        """Returns the rows of numbered files in the order of their names, and the files."""
        paths = sorted((self.folder / kind).glob("*/*.parquet"))
        chunk_files = self.info["chunks_size"]
        for number, path in enumerate(paths):
            chunk, file = divmod(number, chunk_files)
            wanted = pattern.format(chunk_index=chunk, file_index=file)
            expect(path == self.folder / wanted, f"{path}: expected {wanted}")
            # A single long episode may have a larger file.
            is_single = pq.read_table(path, columns=["episode_index"])["episode_index"].combine_chunks().unique()
            expect(path.stat().st_size <= self.most or len(is_single) == 1, f"{path}: {path.stat().st_size} bytes")
        tables = [pq.read_table(path) for path in paths]
        for path, table in zip(paths, tables):
            # Polars has a reader of its own.
            expect(polars.read_parquet(path).equals(polars.from_arrow(table)), f"{path}: Polars reads other values")
        expect(all(table.schema.equals(tables[0].schema, check_metadata=True) for table in tables), f"{kind}: schemas")
        return pa.concat_tables(tables), paths

    def check_info(self):
        info = self.info
        expect(info["codebase_version"] == "v3.0" and info["data_path"] == DATA, info)
        # The parts for training and for validation are all episodes together.
        splits = [split.split(":") for split in info["splits"].values()]
        bounds = [int(bound) for split in splits for bound in split]
        expect(list(info["splits"]) in (["train"], ["train", "val"]), info["splits"])
        expect(bounds[0] == 0 and bounds[-1] == info["total_episodes"] and bounds[1:-1:2] == bounds[2:-1:2], bounds)
        expect(type(info["fps"]) is int, info)
        expect(list(info["features"]) == [*self.vectors, *self.labels, *SCALARS], list(info["features"]))
        parts = [part for part in ("head", "left", "right", "gaze") if any(n.startswith(f"{part}.") for n in self.names)]
        if len(info["features"][VALID]["names"]) > 4:
            ends = (".position", ".rotation", ".origin", ".direction")
            stems = [min((name.split(end)[0] for end in ends), key=len) for name in self.names]
            parts = list(dict.fromkeys(stems))
        for name in self.vectors[2:4] if NEXT_VALID in self.vectors else [VALID]:
            expect(info["features"][name] == {"dtype": "float32", "shape": [len(parts)], "names": parts}, info["features"][name])
        for name in self.labels:
            expect(info["features"][name] == {"dtype": "bool", "shape": [1], "names": None}, info["features"][name])
        for name in VECTORS:
            feature = info["features"][name]
            expect(feature["dtype"] == "float32" and feature["shape"] == [len(self.names)], f"{name}: {feature}")
            expect(feature["names"] == self.names, f"{name}: names")
        for name, dtype in SCALARS.items():
            expect(info["features"][name] == {"dtype": dtype, "shape": [1], "names": None}, f"{name}")

    def check_files(self):
        """Checks the types of columns, and that each episode is in the file that its row names."""
        schema = pq.read_schema(self.data_paths[0])
        lengths = [len(self.info["features"][name]["names"]) for name in self.vectors]
        item = pa.field("element", pa.float32())
        vectors = [pa.float32() if length == 1 else pa.list_(item, length) for length in lengths]
        scalars = [pa.bool_() for _ in self.labels] + [pa.type_for_alias(dtype) for dtype in SCALARS.values()]
        expect(schema.names == [*self.vectors, *self.labels, *SCALARS] and schema.types == [*vectors, *scalars], schema)
        features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
        expect(list(features) == schema.names, features)
        first = ["episode_index", "tasks", "length", "data/chunk_index", "data/file_index"]
        first += ["dataset_from_index", "dataset_to_index"]
        stats = [f"stats/{feature}/{name}" for feature in schema.names for name in STATISTICS]
        last = ["meta/episodes/chunk_index", "meta/episodes/file_index"]
        expect(self.episodes.column_names == [*first, *stats, *last], self.episodes.column_names)
        expect(self.episodes.schema.field("tasks").type == pa.list_(pa.field("element", pa.string())), "tasks")
        for paths, kind, pattern in [(self.data_paths, "data", DATA), (self.episode_paths, "meta/episodes", EPISODES)]:
            place = {}
            for path in paths:
                for episode in pq.read_table(path, columns=["episode_index"])["episode_index"].unique().to_pylist():
                    expect(episode not in place, f"episode {episode} is in several files")
                    place[episode] = path
            for episode in self.rows(["episode_index", f"{kind}/chunk_index", f"{kind}/file_index"]):
                index, chunk, file = episode
                path = self.folder / pattern.format(chunk_index=chunk, file_index=file)
                expect(place[index] == path, f"episode {index}: {path}")

    def rows(self, names):
        """Returns the rows of the episodes as tuples."""
        return list(zip(*(self.episodes[name].to_pylist() for name in names)))

    def check_frames(self):
        """Checks the numbers of all frames, and the statistics."""
        frames, info = self.frames, self.info
        total = len(frames["index"])
        expect(np.array_equal(frames["index"], np.arange(total)), "index")
        counts = [info["total_episodes"], info["total_frames"], info["total_tasks"]]
        expect(counts == [self.episodes.num_rows, total, len(self.tasks)], f"totals: {counts}")
        first = 0
        columns = ["episode_index", "tasks", "length", "dataset_from_index", "dataset_to_index"]
        for number, (index, tasks, length, start, end) in enumerate(self.rows(columns)):
            expect(index == number and start == first and end == start + length and length > 0, f"episode {number}")
            part = slice(start, end)
            first = end
            expect((frames["episode_index"][part] == index).all(), f"episode {index}: frames")
            steps = np.arange(length)
            expect(np.array_equal(frames["frame_index"][part], steps), f"episode {index}: frame_index")
            times = (steps / info["fps"]).astype(np.float32)
            expect(np.array_equal(frames["timestamp"][part], times), f"episode {index}: timestamp")
            (task,) = set(frames["task_index"][part])
            expect(tasks == [self.tasks.index[task]], f"episode {index}: task")
            state, action = (frames[name][part] for name in VECTORS)
            expect(np.isfinite(state).all() and np.isfinite(action).all(), f"episode {index}: numbers that are not finite")
            if "action" not in self.forms:
                is_next = np.array_equal(action[:-1], state[1:]) and np.array_equal(action[-1], state[-1])
                expect(is_next, f"episode {index}: actions")
            valid = frames[VALID][part]
            expect(np.isin(valid, (0, 1)).all(), f"episode {index}: validity")
            if NEXT_VALID in frames:
                both = np.vstack([valid[:-1] * valid[1:], np.zeros_like(valid[:1])])
                expect(np.array_equal(frames[NEXT_VALID][part], both), f"episode {index}: validity of actions")
            if self.labels:
                done, success = (frames[name][part] for name in LABELS)
                expect(done.tolist() == [False] * (length - 1) + [True], f"episode {index}: done")
                expect(not success[:-1].any(), f"episode {index}: success")
            self.check_rotations(state, index)
            if "action" in self.forms:
                self.check_rotations(action, index)
        expect(first == total, "frames without an episode")
        self.check_stats()

    def check_rotations(self, state, index):
        """Checks that rotations have length 1 and no sign flips."""
        for column, name in enumerate(self.names):
            if name.endswith(".rotation.column0.x"):
                first, second = state[:, column : column + 3], state[:, column + 3 : column + 6]
                products = [(first * first).sum(axis=1) - 1, (second * second).sum(axis=1) - 1, (first * second).sum(axis=1)]
                expect(np.abs(products).max() < 1e-5, f"episode {index}: {name}: columns of a rotation")
            if name.endswith(".rotation.x"):
                rotation = state[:, column : column + 4].astype(np.float64)
                what = f"episode {index}: {name}"
                expect(np.abs(np.linalg.norm(rotation, axis=1) - 1).max() < 1e-5, f"{what}: length")
                expect(rotation[0, 3] >= 0, f"{what}: w of the first frame")
                expect(((rotation[1:] * rotation[:-1]).sum(axis=1) >= 0).all(), f"{what}: sign flip")

    def check_stats(self):
        """Compares the statistics of episodes and of the dataset with NumPy."""
        starts = self.rows(["dataset_from_index", "dataset_to_index"])
        exact = {**self.frames, "timestamp": self.frames["frame_index"] / self.info["fps"]}
        for feature, values in exact.items():
            columns = {name: self.episodes[f"stats/{feature}/{name}"].to_pylist() for name in STATISTICS}
            for row, (start, end) in enumerate(starts):
                found = {name: np.array(columns[name][row], np.float64) for name in STATISTICS}
                part = values[start:end].astype(np.float64).reshape(end - start, -1)
                near(found, statistics(part), f"episode {row}: {feature}")
            found = {name: np.array(value, np.float64) for name, value in self.stats[feature].items()}
            expect(list(self.stats[feature]) == STATISTICS, f"stats.json: {feature}")
            all_values = values.astype(np.float64).reshape(len(values), -1)
            expected = statistics(all_values)
            near(found, expected, f"stats.json: {feature}")


def statistics(values):
    """Returns the statistics of the columns of an array in double precision."""
    ordered = np.sort(values, axis=0)
    found = {
        "min": ordered[0],
        "max": ordered[-1],
        "mean": values.mean(axis=0),
        "std": values.std(axis=0),
        "count": np.array([len(values)]),
    }
    for name, percent in QUANTILES.items():
        # The smallest value that at least this part of the values does not exceed.
        found[name] = ordered[math.ceil(percent * len(values) / 100) - 1]
    return found


def near(found, expected, what):
    for name, values in expected.items():
        is_exact = name in ("min", "max", "count")
        equal = found[name] == values if is_exact else np.isclose(found[name], values, rtol=1e-9, atol=1e-6)
        # Arrays become text only in a failure, because that takes longer than the comparison.
        if not (found[name].shape == values.shape and np.all(equal)):
            raise SystemExit(f"{what}: {name}: {found[name]}, not {values}")
