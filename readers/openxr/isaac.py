"""Records with NVIDIA's own recorder of Isaac Capture over the runtime of inputanim, and compares what NVIDIA's reader and
inputanim read in the file, bit for bit.

    isaac.py PROGRAM RUNTIME SAMPLE

PROGRAM is the program, which needs the feature `isaac`, RUNTIME the library of the runtime, and SAMPLE a recording with hands.
The packages are those of readers/openxr/requirements.txt.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 4


def record(output):
    """Records the frames of a session without graphics."""
    import xr
    from isaacteleop.deviceio_session import DeviceIOSession, McapRecordingConfig
    from isaacteleop.deviceio_trackers import HandTracker, HeadTracker
    from isaacteleop.oxr import OpenXRSessionHandles
    from xr.library import openxr_loader_library

    # NVIDIA's own session needs an extension for layers over other applications, so the session is made here.
    extensions = ["XR_MND_headless", "XR_EXT_hand_tracking", "XR_KHR_convert_timespec_time"]
    instance = xr.create_instance(xr.InstanceCreateInfo(enabled_extension_names=extensions))
    system = xr.get_system(instance, xr.SystemGetInfo(xr.FormFactor.HEAD_MOUNTED_DISPLAY))
    session = xr.create_session(instance, xr.SessionCreateInfo(system_id=system, next=None))
    kind, pose = xr.ReferenceSpaceType.STAGE, xr.Posef()
    info = xr.ReferenceSpaceCreateInfo(reference_space_type=kind, pose_in_reference_space=pose)
    space = xr.create_reference_space(session, info)

    def poll():
        while True:
            try:
                event = xr.poll_event(instance)
            except xr.EventUnavailable:
                return
            if event.type == xr.StructureType.EVENT_DATA_SESSION_STATE_CHANGED.value:
                changed = ctypes.POINTER(xr.EventDataSessionStateChanged)
                changed = ctypes.cast(ctypes.byref(event), changed).contents
                if changed.state == xr.SessionState.READY.value:
                    stereo = xr.ViewConfigurationType.PRIMARY_STEREO
                    xr.begin_session(session, xr.SessionBeginInfo(stereo))

    def frame():
        state = xr.wait_frame(session, xr.FrameWaitInfo())
        xr.begin_frame(session, xr.FrameBeginInfo())
        end = {"display_time": state.predicted_display_time, "layers": []}
        xr.end_frame(session, xr.FrameEndInfo(environment_blend_mode=xr.EnvironmentBlendMode.OPAQUE, **end))
        poll()

    def address(handle):
        return ctypes.cast(handle, ctypes.c_void_p).value

    poll()
    hands, head = HandTracker(), HeadTracker()
    functions = address(openxr_loader_library.xrGetInstanceProcAddr)
    handles = OpenXRSessionHandles(address(instance), address(session), address(space), functions)
    config = McapRecordingConfig(output, [(hands, "gloves"), (head, "helmet")])
    # Hands are tracked when the session has the input.
    for _ in range(5):
        frame()
    with DeviceIOSession.run([hands, head], handles, config) as devices:
        end = time.time() + SECONDS
        while time.time() < end:
            frame()
            devices.update()
    # The objects of OpenXR have no order in which Python could delete them.
    os._exit(0)


def main(program, runtime, sample):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        manifest = {"name": "inputanim", "library_path": str(Path(runtime).resolve())}
        (folder / "runtime.json").write_text(json.dumps({"file_format_version": "1.0.0", "runtime": manifest}))
        settings = {"recording": str(Path(sample).resolve()), "clock": "real", "at_end": "loop"}
        file, recording = folder / "nvidia.mcap", folder / "nvidia.bin"
        environment = os.environ | {
            "XR_RUNTIME_JSON": str(folder / "runtime.json"),
            "INPUTANIM_OPENXR": json.dumps(settings),
        }
        subprocess.run([sys.executable, __file__, "record", str(file)], env=environment, check=True)
        os.environ |= {"INPUTANIM_PROGRAM": program, "INPUTANIM_OUT": str(folder)}
        compare(file, recording)


def compare(file, recording):
    sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent.parent / "isaac")]
    import numpy as np
    from inputanim import frames, run
    from isaacteleop.deviceio_trackers import HandTracker, HeadTracker
    from replays import JOINTS, SIDES, check_head, expect, f32, messages, replay, same

    times = messages(file)["helmet/head"]
    run("convert", file, recording)
    hands, head = HandTracker(), HeadTracker()

    def take(session):
        return [hands.get_left_hand(session), hands.get_right_hand(session)], head.get_head(session)

    found, _ = replay(file, len(times), [(hands, "gloves"), (head, "helmet")], take)
    at = ",".join(repr(float(np.float32((at - times[0]) / 1e9))) for at in times)
    joints = 0
    for step, (frame, (both, head_pose)) in enumerate(
        zip(frames(recording, "--at", at, "--space", "openxr"), found, strict=True)
    ):
        check_head(f"step {step}", head_pose, frame)
        for side, hand in zip(SIDES, both):
            what = f"step {step}, {side}"
            expect((hand is not None) == frame[side]["tracked"], f"{what}: tracked")
            for index, name in enumerate(JOINTS if hand else []):
                if hand.joints.is_valid[index]:
                    pose, rotation = frame[side]["joints"][name], hand.joints.orientations[index]
                    same(f"{what}: {name}", hand.joints.positions[index], pose["position"])
                    # The sign of a rotation has no meaning.
                    sign = 1 if f32(pose["rotation"]) @ rotation > 0 else -1
                    same(f"{what}: {name}", rotation, sign * f32(pose["rotation"]))
                    joints += 1
    expect(len(times) > 100 and joints > 1000, f"{len(times)} steps, {joints} joints")
    print(f"{joints} joints in {len(times)} steps of NVIDIA's recorder read")


if sys.argv[1] == "record":
    record(sys.argv[2])
else:
    main(*sys.argv[1:])
