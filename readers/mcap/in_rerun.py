"""MCAP in Rerun: what its own checks say, and what it makes of a take, against what plays.

With a Vulkan driver (one of software does: Debian's mesa-vulkan-drivers) there is a picture of each
sample, for people to look at.
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
# A home of its own, so that nothing is counted and no settings are left behind.
HOME = tempfile.TemporaryDirectory()
ENV = {**os.environ, "HOME": HOME.name, "XDG_RUNTIME_DIR": HOME.name}


def rerun(*arguments):
    command = [RERUN, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"rerun {arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def rows(rrd):
    """What each entity has at each time in nanoseconds: a list of rows, components by name."""
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
    """The one value of a component."""
    expect(len(values) == 1, f"one value: {values}")
    return values[0]


def check(recording):
    """Compares what Rerun makes of a recording with what plays; the number of frames compared."""
    mcap = convert(recording, "mcap")
    rrd = OUT / f"{recording.name}.rrd"
    # Its exit code does not tell.
    said = rerun("mcap", "check", "--full", mcap)
    expect("ok" in said and "warn" not in said.lower() and "error" not in said.lower(), said)
    rerun("mcap", "convert", mcap, "-o", rrd)
    rerun("rrd", "verify", rrd)
    found = rows(rrd)
    times = list(found.get("/states") or found.get("/tf") or [])
    for time, frame in zip(times, playing(recording, times), strict=True):
        what = f"{recording.name} at {time} ns"
        expected = {"head": frame["camera"]} if "camera" in frame else {}
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
    """A field of the states as a line."""
    mapping = VisualizerComponentMapping(
        target="Scalars:scalars",
        source_kind=ComponentSourceKind.SourceComponent,
        source_component="inputanim.States:message",
        selector=f".{field}",
    )
    return rr.SeriesLines(names=[field]).visualizer(mappings=[mapping])


def picture(rrd):
    """How Rerun's viewer shows it; none without a driver."""
    dots = rr.Points3D.from_fields(radii=0.004)
    hands = rrb.Spatial3DView(
        origin="/",
        contents=["+ /tf", "+ /left/joints", "+ /right/joints"],
        overrides={"/left/joints": dots, "/right/joints": dots, "/tf": rr.TransformAxes3D(0.01)},
        # From where the head is, a step back.
        eye_controls=rrb.EyeControls3D(position=(0, -0.3, 1.8), look_target=(0, 0.5, 1.2)),
    )
    states = rrb.TimeSeriesView(origin="/states", overrides={"/states": [*map(plot, STATES)]})
    markers = rrb.TextLogView(origin="/markers")
    blueprint = rrb.Blueprint(
        rrb.Horizontal(hands, rrb.Vertical(states, markers)), collapse_panels=True
    )
    # The id that Rerun gave the recording.
    store = RrdReader(rrd).recordings()[0]
    layout, image = rrd.with_suffix(".rbl"), rrd.with_suffix(".png")
    blueprint.save(store.application_id, layout)
    image.unlink(missing_ok=True)
    try:
        rerun(rrd, layout, "--headless", "--bind", "127.0.0.1", "--screenshot-to", image,
              "--window-size", "1400x900", "--renderer", "vulkan")
    except (SystemExit, subprocess.TimeoutExpired) as error:
        print(f"no picture, which takes a Vulkan driver: {str(error)[-200:]}")
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
print(f"{frames} frames and {markers} markers of {len(recordings())} files are in Rerun as they play")
