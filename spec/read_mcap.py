"""Reads the exact part of a recording in MCAP, as mcap.md beside this file describes it. It shares no code with inputanim.
Needs `pip install mcap-protobuf-support`. `python read_mcap.py FILE.mcap` prints what it reads as JSON, without the bytes of
the embedded file."""

import json
import math
import sys

from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

WIDTHS = {"simple": 2, "boolean": 2, "full": 6}


def stated(number):
    return None if math.isnan(number) else number


def read(path):
    """Returns a dictionary: `bin` (the embedded file), `about`, `unknown` (intervals of each element), and `devices`, each
    with `profiles` (time, active, name), `haptics` (time, output, duration, frequency, amplitude) and `curves`."""
    pieces, devices, curves, entries = {}, {}, {}, {}
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for record in reader.iter_metadata():
            entries.update(record.metadata if record.name == "inputanim" else {})
        topics = ["/inputanim/recording", "/inputanim/devices", "/inputanim/device_curves"]
        # In the order of the file, because messages of one curve have the same time.
        for message in reader.iter_decoded_messages(topics, log_time_order=False):
            topic, value = message.channel.topic, message.decoded_message
            if topic == topics[0]:
                pieces[value.offset] = value.data
            elif topic == topics[1]:
                names = [name or None for name in value.profile_names]
                durations = map(stated, value.haptic_durations)
                pulses = zip(value.haptic_times, value.haptic_outputs, durations,
                             map(stated, value.haptic_frequencies), value.haptic_amplitudes)
                devices[value.device] = {
                    "profiles": [list(change) for change in zip(value.profile_times, value.profile_active, names)],
                    "haptics": [list(pulse) for pulse in pulses],
                    "curves": {},
                }
            else:
                curve = curves.setdefault(value.curve, {
                    "preWrap": value.pre_wrap, "postWrap": value.post_wrap, "kind": value.kind, "keys": []})
                width, numbers = WIDTHS[value.kind], list(value.numbers)
                keys = [numbers[at : at + width] for at in range(0, len(numbers), width)]
                for key, mode in zip(keys, value.weighted_modes):
                    key.append(mode)
                curve["keys"] += keys
    for name, curve in curves.items():
        devices[".".join(name.split(".")[:2])]["curves"][name] = curve
    unknown = {name[8:]: [[float(bound) for bound in gap.split("..")] for gap in text.split(", ")]
               for name, text in entries.items() if name.startswith("unknown.")}
    about = {name[6:]: text for name, text in entries.items() if name.startswith("about.")}
    data = b"".join(piece for _, piece in sorted(pieces.items()))
    return {"bin": data, "about": about, "unknown": unknown, "devices": devices}


if __name__ == "__main__":
    recording = read(sys.argv[1])
    recording["bin"] = f"{len(recording['bin'])} bytes"
    print(json.dumps(recording, indent=1))
