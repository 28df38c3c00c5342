"""Checks MCAP with Rerun's own checks, and compares a recording in Rerun with the sampler.

With a Vulkan driver (a software driver is enough: Debian's mesa-vulkan-drivers) it also saves a picture of
each sample.
"""

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import rerun as rr
import rerun.blueprint as rrb
from rerun.blueprint.encodings import ComponentSourceKind, VisualizerComponentMapping
from rerun.chunk import RrdReader

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, ROOT, convert, recordings
from takes import expect, f32, joints, near, places, playing

RERUN = Path(sys.executable).with_name("rerun")
STATES = ["left_tracked", "left_pinching", "right_tracked", "right_pinching"]
# A separate home directory, so that Rerun sends no analytics and leaves no settings behind.
HOME = tempfile.TemporaryDirectory()
ENV = {**os.environ, "HOME": HOME.name, "XDG_RUNTIME_DIR": HOME.name}


def rerun(*arguments):
    command = [RERUN, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"rerun {arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def rows(rrd):
    """Returns the rows of each entity by time in nanoseconds, with components by name."""
    found = defaultdict(lambda: defaultdict(list))
    for chunk in RrdReader(rrd).stream().to_chunks():
        if chunk.is_static:
            continue
        batch = chunk.to_record_batch()
        names = [name for name in batch.schema.names if ":" in name]
        times = batch.column("message_log_time").cast("int64").to_pylist()
        columns = {name: batch.column(name).to_pylist() for name in names}
        for row, time in enumerate(times):
            values = {name: column[row] for name, column in columns.items()}
            found[chunk.entity_path][time].append(values)
    return found


def only(values):
    """Returns the only value of a component."""
    expect(len(values) == 1, f"one value: {values}")
    return values[0]


def check(recording):
    """Compares a recording in Rerun with the sampler, and returns the number of compared frames."""
    mcap = convert(recording, "mcap")
    rrd = OUT / f"{recording.name}.rrd"
    # Its exit code does not show warnings and errors.
    said = rerun("mcap", "check", "--full", mcap)
    expect("ok" in said and "warn" not in said.lower() and "error" not in said.lower(), said)
    rerun("mcap", "convert", mcap, "-o", rrd)
    rerun("rrd", "verify", rrd)
    found = rows(rrd)
    times = list(found.get("/states") or found.get("/tf") or [])
    for time, frame in zip(times, playing(recording, times), strict=True):
        what = f"{recording.name} at {time} ns"
        expected = {"head": frame["head"]} if "head" in frame else {}
        for side in ("left", "right"):
            expected.update({f"{side}/{name}": pose for name, pose in joints(frame, side).items()})
            if f"/{side}/joints" in found:
                cloud = only(found[f"/{side}/joints"][time])
                points = cloud["Points3D:positions"] or []
                expect(sorted(map(tuple, points)) == places(frame, side), f"{what}: points")
                expect(len(cloud["Points3D:colors"] or []) == len(points), f"{what}: colours")
                expect(cloud["CoordinateFrame:frame"] == ["world"], f"{what}: frame of points")
        for row in found["/tf"][time] if "/tf" in found else []:
            if row["Transform3D:child_frame"] is None:
                continue
            name = only(row["Transform3D:child_frame"])
            expect(only(row["Transform3D:parent_frame"]) == "world", f"{what}: parent of {name}")
            if name != "gaze":
                pose = expected.pop(name)
                translation = only(row["Transform3D:translation"])
                rotation = only(row["Transform3D:quaternion"])
                expect(list(translation) == list(map(f32, pose["position"])), f"{what}: {name}")
                expect(near(rotation, pose["rotation"], 1e-6), f"{what}: {name}")
        is_pose = lambda pose: any(pose["rotation"])
        expect(not [name for name, pose in expected.items() if is_pose(pose)], f"{what}: all are there")
        if "/states" in found:
            states = only(only(found["/states"][time])["inputanim.States:message"])
            for field in STATES:
                side, state = field.split("_")
                expect(states[field] == frame.get(side, {}).get(state, False), f"{what}: {field}")
    texts = [row["TextLog:text"] for at in found.get("/markers", {}).values() for row in at]
    return len(times), len(texts), rrd


def plot(field):
    """Returns a plot of a field of the states."""
    mapping = VisualizerComponentMapping(
        target="Scalars:scalars",
        source_kind=ComponentSourceKind.SourceComponent,
        source_component="inputanim.States:message",
        selector=f".{field}",
    )
    return rr.SeriesLines(names=[field]).visualizer(mappings=[mapping])


def picture(rrd):
    """Takes a screenshot of Rerun's viewer; returns None without a graphics driver."""
    dots = rr.Points3D.from_fields(radii=0.004)
    hands = rrb.Spatial3DView(
        origin="/",
        contents=["+ /tf", "+ /left/joints", "+ /right/joints"],
        overrides={"/left/joints": dots, "/right/joints": dots, "/tf": rr.TransformAxes3D(0.01)},
        # The view is a step behind the head.
        eye_controls=rrb.EyeControls3D(position=(0, -0.3, 1.8), look_target=(0, 0.5, 1.2)),
    )
    states = rrb.TimeSeriesView(origin="/states", overrides={"/states": [*map(plot, STATES)]})
    markers = rrb.TextLogView(origin="/markers")
    blueprint = rrb.Blueprint(
        rrb.Horizontal(hands, rrb.Vertical(states, markers)), collapse_panels=True
    )
    # The id that Rerun assigned to the recording.
    store = RrdReader(rrd).recordings()[0]
    layout, image = rrd.with_suffix(".rbl"), rrd.with_suffix(".png")
    blueprint.save(store.application_id, layout)
    image.unlink(missing_ok=True)
    try:
        rerun(rrd, layout, "--headless", "--bind", "127.0.0.1", "--screenshot-to", image,
              "--window-size", "1400x900", "--renderer", "vulkan")
    except (SystemExit, subprocess.TimeoutExpired) as error:
        print(f"no picture, because it needs a Vulkan driver: {str(error)[-200:]}")
        return None
    return image


rerun("analytics", "disable")
frames = markers = 0
for recording in recordings():
    compared, told, rrd = check(recording)
    frames, markers = frames + compared, markers + told
    if recording.is_relative_to(ROOT):
        image = picture(rrd)
        print(f"{recording.name}: {image}" if image else recording.name)
print(f"{frames} frames and {markers} markers of {len(recordings())} files in Rerun equal the sampler")
