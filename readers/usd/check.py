"""Validates USD, text and binary, with OpenUSD, and compares it with the sampler."""

import json
import math
import sys
from pathlib import Path

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, UsdValidation

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import convert, frames, recordings

# The tolerance in metres. Numbers far from the origin have a larger rounding.
APART = 1e-4
DEGREES = 0.01
# The largest number of times in one query.
AT_ONCE = 500


def validate(path):
    """Checks a stage with OpenUSD's validators."""
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    context = UsdValidation.ValidationContext(validators)
    said = [error.GetErrorAsString() for error in context.Validate(Usd.Stage.Open(str(path)))]
    if said:
        sys.exit(f"{path}: {said[0]}")


def near(what, matrix, pose):
    """Compares a transform with a pose, and returns their distance in metres."""
    position, rotation = Gf.Vec3d(pose["position"]), pose["rotation"]
    apart = (matrix.ExtractTranslation() - position).GetLength()
    expected = Gf.Quatd(rotation[3], *rotation[:3])
    turn = matrix.ExtractRotationQuat() * expected.GetConjugate()
    angle = 2 * math.degrees(math.atan2(turn.GetImaginary().GetLength(), abs(turn.GetReal())))
    if not (apart <= APART * max(1, position.GetLength()) and angle <= DEGREES):
        sys.exit(f"{what}: {apart} m and {angle}° away")
    return apart


def is_known(pose):
    numbers = pose and pose["position"] + pose["rotation"]
    return pose and None not in numbers and any(pose["rotation"])


def is_visible(prim, code):
    return UsdGeom.Imageable(prim).ComputeVisibility(code) == "inherited"


class Hand:
    """A SkelRoot with its skeleton, animation and mesh."""

    def __init__(self, prim):
        self.prim = prim
        cache = UsdSkel.Cache()
        cache.Populate(UsdSkel.Root(prim), Usd.PrimDefaultPredicate)
        bindings = cache.ComputeSkelBindings(UsdSkel.Root(prim), Usd.PrimDefaultPredicate)
        self.query = cache.GetSkelQuery(bindings[0].GetSkeleton()) if bindings else None
        if self.query:
            names = self.query.GetJointOrder()
            self.joints = {name.split("/")[-1]: place for place, name in enumerate(names)}
            self.skin = bindings[0].GetSkinningTargets()[0]
            mesh = UsdGeom.Mesh(self.skin.GetPrim())
            self.points = mesh.GetPointsAttr().Get()
            self.moved_by = np.array(self.skin.GetJointIndicesPrimvar().Get())
            # The points in the axes of their joints, with a 1 as fourth number. OpenUSD multiplies from the left.
            points = np.c_[np.array(self.points, float), np.ones(len(self.points))]
            rest = np.array(self.query.GetJointWorldBindTransforms(), float)[self.moved_by]
            self.own = np.einsum("ni,nij->nj", points, np.linalg.inv(rest))

    def codes(self):
        return self.query.GetAnimQuery().GetJointTransformTimeSamples() if self.query else []

    def compare(self, what, hand, code):
        """Compares with the sampler; returns the number of joints and the largest distance in metres."""
        if is_visible(self.prim, code) != hand["tracked"]:
            sys.exit(f"{what} is wrongly shown")
        for state in ("tracked", "pinching"):
            if self.prim.GetAttribute(f"inputanim:{state}").Get(code) != hand[state]:
                sys.exit(f"{what} is wrongly {state}")
        if not (hand["tracked"] and self.query):
            return 0, 0
        cache = UsdGeom.XformCache(code)
        transforms = self.query.ComputeJointWorldTransforms(cache)
        known = {joint: pose for joint, pose in hand["joints"].items() if is_known(pose)}
        known.pop("None", None)
        worst = 0
        for joint, pose in known.items():
            apart = near(f"{what}.{joint}", transforms[self.joints[joint]], pose)
            worst = max(worst, apart)
        self.compare_skin(what, transforms, code)
        return len(known), worst

    def compare_skin(self, what, transforms, code):
        """Checks that each point of the mesh moves with its joint."""
        moved = type(self.points)(self.points)
        if not self.skin.ComputeSkinnedPoints(self.query.ComputeSkinningTransforms(code), moved):
            sys.exit(f"{what}: the mesh cannot be skinned")
        joints = np.array(transforms, float)[self.moved_by]
        expected = np.einsum("ni,nij->nj", self.own, joints)[:, :3]
        apart = np.linalg.norm(expected - np.array(moved, float), axis=1)
        if not apart.max() <= APART:
            sys.exit(f"{what}: point {apart.argmax()} of the mesh is away from its joint")


def looking(matrix):
    """Returns the direction of the rotated −Z axis."""
    return matrix.TransformDir(Gf.Vec3d(0, 0, -1))


def compare(recording, path):
    """Returns the number of compared poses and the largest distance in metres."""
    stage = Usd.Stage.Open(str(path))
    rate = stage.GetTimeCodesPerSecond()
    if UsdGeom.GetStageUpAxis(stage) != "Y" or UsdGeom.GetStageMetersPerUnit(stage) != 1:
        sys.exit(f"{path}: wrong axes or units")
    take = stage.GetDefaultPrim()
    hands = {}
    for side in ("left", "right"):
        prim = take.GetPrimAtPath(side)
        if prim:
            hands[side] = Hand(prim)
    head, gaze = take.GetPrimAtPath("head"), take.GetPrimAtPath("gaze")
    codes = {stage.GetStartTimeCode(), stage.GetEndTimeCode()}
    for hand in hands.values():
        codes.update(hand.codes())
    for prim in filter(None, (head, gaze)):
        codes.update(UsdGeom.Xformable(prim).GetTimeSamples())
    codes = sorted(codes)
    count, worst = 0, 0
    for first in range(0, len(codes), AT_ONCE):
        some = codes[first : first + AT_ONCE]
        at = ",".join(repr(code / rate) for code in some)
        for code, frame in zip(some, frames(recording, "--space", "usd", "--at", at), strict=True):
            where = f"{path} at {code / rate} s: "
            cache = UsdGeom.XformCache(code)
            if is_known(frame.get("head")):
                camera = UsdGeom.Camera(head.GetChild("head_camera"))
                matrix = cache.GetLocalToWorldTransform(camera.GetPrim())
                worst = max(worst, near(where + "head", matrix, frame["head"]))
                frustum = camera.GetCamera(code).frustum
                if (frustum.ComputeViewDirection() - looking(matrix)).GetLength() > 1e-6:
                    sys.exit(f"{where}the camera looks elsewhere")
                count += 1
            ray = frame.get("gaze")
            seen = ray and None not in ray["origin"] + ray["direction"] and any(ray["direction"])
            if gaze and is_visible(gaze, code) != bool(seen):
                sys.exit(f"{where}the gaze is wrongly shown")
            if seen:
                matrix = cache.GetLocalToWorldTransform(gaze)
                direction = Gf.Vec3d(ray["direction"]).GetNormalized()
                away = (looking(matrix) - direction).GetLength()
                origin = (matrix.ExtractTranslation() - Gf.Vec3d(ray["origin"])).GetLength()
                if not (away < 1e-5 and origin < APART):
                    sys.exit(f"{where}the gaze is {origin} m and {away} away")
                count += 1
            for side in ("left", "right"):
                ours = frame.get(side)
                if side in hands:
                    joints, apart = hands[side].compare(where + side, ours, code)
                    count, worst = count + joints, max(worst, apart)
                elif ours and (ours["tracked"] or ours["pinching"]):
                    sys.exit(f"{where}{side} is missing")
    return count, worst


def compare_markers(recording, path):
    """Checks the names and times of markers."""
    stage = Usd.Stage.Open(str(path))
    attribute = stage.GetDefaultPrim().GetAttribute("inputanim:markers")
    found = []
    for code in attribute.GetTimeSamples():
        time = code / stage.GetTimeCodesPerSecond()
        found += [(time, name) for name in attribute.Get(code)]
    document = json.loads(convert(recording, "json").read_text(encoding="utf-8"))
    expected = sorted((marker["time"], marker["name"]) for marker in document.get("markers", []))
    both = list(zip(sorted(found), expected))
    if len(found) != len(expected) or any(
        a[1] != b[1] or not math.isclose(a[0], b[0], rel_tol=1e-6) for a, b in both
    ):
        sys.exit(f"{path} has the markers {found}, not {expected}")


count, worst = 0, 0
for recording in recordings():
    text, binary = convert(recording, "usda"), convert(recording, "usdc")
    layers = [Sdf.Layer.FindOrOpen(str(path)) for path in (text, binary)]
    texts = [layer.ExportToString() for layer in layers]
    if texts[0] != texts[1]:
        sys.exit(f"{text} and {binary} are not the same")
    for path in (text, binary):
        validate(path)
    # Both have the same values, to the last digit.
    compare_markers(recording, binary)
    joints, apart = compare(recording, binary)
    count, worst = count + joints, max(worst, apart)
if count < 10_000:
    sys.exit(f"only {count} poses were compared")
print(f"OpenUSD: {count} poses are within {worst * 1000:.4f} mm")
