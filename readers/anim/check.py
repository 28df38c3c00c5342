"""Compares Unity animation clips with the sampler: a parser of Unity's files reads them, and this script evaluates them by Unity's rules."""

import json
import sys
import zlib
from pathlib import Path

import numpy
from unityparser import UnityDocument

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, convert, frames, recordings, run

ATTRIBUTES = {"m_RotationCurves": (2, 4), "m_PositionCurves": (1, 4), "m_FloatCurves": (2086281974, 1)}
# The parser is slow, so of a large recording it reads only these curves, with all their keys.
SOME = "head,gaze,left.Wrist,right.IndexTip"


def number(text):
    return float(text.replace("Infinity", "inf"))


def numbers(value):
    """Returns a number or a vector as a list."""
    return [number(part) for part in value.values()] if isinstance(value, dict) else [number(value)]


class Curve:
    """A curve of a clip, evaluated by the rules of docs/evaluation.md."""

    def __init__(self, entry):
        curve = entry["curve"]
        keys = curve["m_Curve"]
        column = lambda name: numpy.array([numbers(key[name]) for key in keys])
        self.path = entry["path"]
        self.times = column("time")[:, 0]
        self.values, self.arriving, self.leaving = map(column, ["value", "inSlope", "outSlope"])
        self.weights = [column("outWeight"), column("inWeight")]
        self.modes = column("weightedMode")[:, 0].astype(int)
        if not (numpy.diff(self.times) > 0).all():
            raise SystemExit(f"{self.path}: keys are not in order")
        if [curve["m_PreInfinity"], curve["m_PostInfinity"], curve["m_RotationOrder"]] != ["2", "2", "4"]:
            raise SystemExit(f"{self.path}: the curve does not hold its ends")

    def at(self, time):
        right = int(numpy.searchsorted(self.times, time, side="right"))
        if right == 0 or right == len(self.times):
            return self.values[max(0, right - 1)]
        return numpy.array([self.between(right - 1, axis, time) for axis in range(self.values.shape[1])])

    def between(self, left, axis, time):
        right = left + 1
        start, length = self.times[left], self.times[right] - self.times[left]
        a, b = self.values[left, axis], self.values[right, axis]
        m, n = self.leaving[left, axis], self.arriving[right, axis]
        if m == numpy.inf or n == numpy.inf:
            return a
        x = (time - start) / length
        if not (self.modes[left] & 2 or self.modes[right] & 1):
            h = (2 * x**3 - 3 * x**2 + 1, x**3 - 2 * x**2 + x, 3 * x**2 - 2 * x**3, x**3 - x**2)
            return h[0] * a + h[1] * m * length + h[2] * b + h[3] * n * length
        v = self.weights[0][left, axis] if self.modes[left] & 2 else 1 / 3
        w = self.weights[1][right, axis] if self.modes[right] & 1 else 1 / 3
        roots = numpy.roots([3 * v + 3 * w - 2, 3 - 3 * w - 6 * v, 3 * v, -x])
        real = roots[abs(roots.imag) < 1e-7].real
        u = max(root for root in real if -1e-7 <= root <= 1 + 1e-7)
        c, d = a + v * m * length, b - w * n * length
        return (1 - u) ** 3 * a + 3 * (1 - u) ** 2 * u * c + 3 * (1 - u) * u**2 * d + u**3 * b


def expected(frame, path):
    """Returns the expected position and rotation of a pose, or the active state of an object."""
    part, _, rest = path.partition("/")
    if part == "Camera":
        return frame["head"]
    if part == "Gaze":
        return {"position": frame["gaze"]["direction" if rest else "origin"]}
    hand = frame[part.removesuffix("Hand").lower()]
    if rest in ("", "Pinch"):
        return {"active": hand["pinching" if rest else "tracked"]}
    return hand["joints"][rest]


def paths(frame):
    """Returns all values of a frame."""
    found = {"Camera"} & {"Camera" if "head" in frame else ""}
    if "gaze" in frame:
        found |= {"Gaze", "Gaze/Direction"}
    for side in ("Left", "Right"):
        hand = frame.get(side.lower())
        if hand is not None:
            joints = (name for name in hand["joints"] if name != "None")
            found |= {f"{side}Hand", *(f"{side}Hand/{name}" for name in joints)}
            # A clip of a recording without pinches has no curve for them.
            if hand["pinching"] is not None:
                found.add(f"{side}Hand/Pinch")
    return found


def check(recording):
    size = recording.stat().st_size
    clip_of_all = convert(recording, "anim")
    if size > 20_000:
        some = OUT / f"some-{recording.name}"
        run("select", recording, "--joints", SOME, "--force", "-o", some)
        recording, clip_of_all = some, convert(some, "anim")
    clip = UnityDocument.load_yaml(str(clip_of_all)).entry
    if type(clip).__name__ != "AnimationClip" or clip.m_Name != clip_of_all.stem:
        sys.exit(f"{recording}: {clip.m_Name} is no clip of that name")
    curves = {name: [Curve(entry) for entry in getattr(clip, name)] for name in ATTRIBUTES}
    stop = number(clip.m_AnimationClipSettings["m_StopTime"])

    random = numpy.random.default_rng(7)
    times = random.uniform(0, stop, 120) if stop else numpy.zeros(1)
    keys = numpy.concatenate([c.times for group in curves.values() for c in group] or [[0.0]])
    times = numpy.unique(numpy.float32(numpy.concatenate([times, random.choice(keys, 30)])))
    # A curve that repeats exactly at the end of the clip keeps its last value.
    times = [time for time in times if time < stop or not stop]
    at = ",".join(str(time) for time in times)
    played = frames(recording, "--raw", "--untracked", "--at", at)

    bindings = set()
    covered = set()
    compared = 0
    for name, group in curves.items():
        for curve in group:
            bindings.add((zlib.crc32(curve.path.encode()), *ATTRIBUTES[name]))
            covered.add(curve.path)
            what = {"m_RotationCurves": "rotation", "m_PositionCurves": "position"}.get(name, "active")
            scale = 1 + abs(curve.values).max()
            for frame in played:
                ours = numpy.array(expected(frame, curve.path)[what], dtype=float)
                theirs = curve.at(frame["time"])
                if curve.path == "Gaze/Direction":
                    # The curves are those of the recording, and the player normalises their values.
                    length = numpy.linalg.norm(theirs)
                    theirs = theirs / length if length > 1e-5 else 0 * theirs
                off = abs(ours - theirs)
                compared += 1
                if not (off <= 2e-5 * scale).all():
                    # The key times of written-out repetitions are rounded by up to two units in the last place.
                    beside = [curve.at(frame["time"] + step) - theirs for step in (-2e-6, 2e-6)]
                    off -= abs(numpy.array(beside)).max(axis=0)
                if not (off <= 2e-5 * scale).all():
                    sys.exit(f"{recording}: {curve.path} {what} at {frame['time']}: {theirs}, not {ours}")
    if covered != paths(played[0]):
        sys.exit(f"{recording}: {covered ^ paths(played[0])} is not as it should be")
    bound = clip.m_ClipBindingConstant["genericBindings"]
    if bindings != {tuple(int(b[key]) for key in ("path", "attribute", "typeID")) for b in bound}:
        sys.exit(f"{recording}: what is bound is not what has curves")

    markers = json.loads(run("markers", "list", recording, "--format", "json"))
    markers = sorted((marker for marker in markers if 0 <= marker["time"] <= stop), key=lambda m: m["time"])
    events = [(numpy.float32(event["time"]), event["data"]) for event in clip.m_Events]
    if events != [(numpy.float32(marker["time"]), marker["name"]) for marker in markers]:
        sys.exit(f"{recording}: {events} are not its markers")
    return compared


compared = sum(check(recording) for recording in recordings())
if not compared:
    sys.exit("nothing was compared")
print(f"{len(recordings())} clips equal the sampler at {compared} instants of their curves")
