"""XDF files as laboratories record them, made from random numbers.

Run as a program, `files.py FOLDER COUNT` writes files, and beside each file the times of its samples as pyxdf reads them
(`.times`: little-endian doubles: the largest clock offset, then the times of stream after stream). The example `xdf_times` of
inputanim-convert compares both.
"""

import logging
import random
import struct
import sys
from pathlib import Path

import numpy as np
import pyxdf

BOUNDARY = bytes.fromhex("43a546dccbf5410fb30ed5467383cbe4")
FORMATS = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "float32": "f", "double64": "d"}


def length(number):
    """Encodes an integer of variable size."""
    if number < 256:
        return bytes([1, number])
    return b"\x04" + struct.pack("<I", number)


def chunk(tag, content):
    return length(len(content) + 2) + struct.pack("<H", tag) + content


def header(name, kind, channels, rate, form, labels=(), extra=""):
    listed = "".join(f"<channel><label>{label}</label></channel>" for label in labels)
    return (
        f'<?xml version="1.0"?><info><name>{name}</name><type>{kind}</type>'
        f"<channel_count>{channels}</channel_count><nominal_srate>{rate}</nominal_srate>"
        f"<channel_format>{form}</channel_format><created_at>1</created_at>"
        f"<desc><channels>{listed}</channels>{extra}</desc></info>"
    ).encode()


def value(form, number):
    if form == "string":
        text = str(number).encode()
        return length(len(text)) + text
    if form.startswith("int"):
        number = int(number) % 100
    return struct.pack("<" + FORMATS[form], number)


def samples(form, rows):
    """Encodes rows of a time stamp, which may be None, and values."""
    parts = [length(len(rows))]
    for stamp, values in rows:
        parts.append(b"\x00" if stamp is None else b"\x08" + struct.pack("<d", stamp))
        parts.extend(value(form, number) for number in values)
    return b"".join(parts)


class Stream:
    """A stream with a clock of its own."""

    def __init__(self, rng, number, labels=None, form=None, kind=None, rate=None):
        self.id = rng.choice([number, number + 1000, 0xDEADBEEF + number])
        self.form = form or rng.choice([*FORMATS, "string"])
        self.rate = rng.choice([0, 0, 10, 60, 100, 250]) if rate is None else rate
        self.labels = labels or [f"channel {n}" for n in range(rng.randint(1, 4))]
        self.kind = kind or rng.choice(["EEG", "MoCap", "Markers"])
        drops = "<synchronization><can_drop_samples>true</can_drop_samples></synchronization>"
        extra = drops if rng.random() < 0.15 else ""
        self.header = header(
            f"stream {number}", self.kind, len(self.labels), self.rate, self.form, self.labels, extra
        )
        self.offset = rng.choice([0.0, rng.uniform(-500, 500), rng.uniform(-1e5, 1e5)])
        self.drift = rng.choice([0.0, rng.uniform(-1e-4, 1e-4)])
        self.jitter = rng.choice([0.0, 1e-4, 5e-3])
        self.events = []
        self.rows = self.sampled(rng)

    def sampled(self, rng):
        """Returns rows of true time and values, and adds clock offsets."""
        end = rng.choice([0.0, 3.0, 20.0, 60.0])
        start = rng.uniform(0, 2000)
        resets = sorted(rng.uniform(0, end) for _ in range(rng.choice([0, 0, 0, 1, 2])))
        gaps = sorted(rng.uniform(0, end) for _ in range(rng.choice([0, 0, 1, 2])))
        jumps = [rng.choice([-1, 1]) * rng.uniform(2, 3000) for _ in resets]
        pauses = [rng.choice([0.5, 2.0, 30.0]) for _ in resets]
        quiet = [rng.choice([0.3, 0.9, 1.5, 8.0]) for _ in gaps]
        missing = rng.random() < 0.3

        def true_time(time):
            later = sum(pause for reset, pause in zip(resets, pauses) if time >= reset)
            return start + time + later + sum(gap for at, gap in zip(gaps, quiet) if time >= at)

        def own_time(time):
            jump = sum(jump for reset, jump in zip(resets, jumps) if time >= reset)
            now = true_time(time)
            return now - (self.offset + self.drift * (now - start)) + jump

        step = 1 / self.rate if self.rate else 0.05
        rows, time, number = [], 0.0, 0
        while time <= end:
            stamp = own_time(time) + rng.gauss(0, self.jitter)
            if missing and rows and rng.random() < 0.7:
                stamp = None
            rows.append((stamp, [rng.gauss(0, 1) for _ in self.labels]))
            number += 1
            time = number * step if self.rate else time + rng.expovariate(1 / step)
        if rng.random() < 0.85:
            every = rng.choice([0.5, 2.0, 5.0])
            measured = np.arange(0, end + every, every)
            for time in measured:
                delay = rng.choice([rng.gauss(0, 2e-5)] * 6 + [abs(rng.gauss(0, 0.05))])
                at = own_time(time)
                self.events.append((at, true_time(time) - at + delay))
        if len(self.events) > 3 and rng.random() < 0.2:
            # The defect of liblsl that adds a sample and a wrong clock offset at the end.
            self.count = len(rows)
            rows.append((rows[-1][0], rows[-1][1]))
            self.events.append((self.events[-1][0] + 1e4, rng.uniform(-1e6, 1e6)))
        else:
            self.count = len(rows) + rng.choice([0, 0, 0, -1, 2])
        return rows

    def chunks(self, rng):
        """Returns the chunks after the header, in order."""
        found, index = [], 0
        events = list(self.events)
        ident = struct.pack("<I", self.id)
        while index < len(self.rows):
            size = rng.choice([1, 7, 40, 300])
            content = ident + samples(self.form, self.rows[index : index + size])
            found.append(chunk(3, content))
            index += size
            if events and rng.random() < 0.6:
                found.append(chunk(4, ident + struct.pack("<dd", *events.pop(0))))
        found.extend(chunk(4, ident + struct.pack("<dd", *event)) for event in events)
        return found

    def footer(self):
        count = max(self.count, 0)
        xml = f"<info><first_timestamp>1</first_timestamp><sample_count>{count}</sample_count></info>"
        return chunk(6, struct.pack("<I", self.id) + xml.encode())


def file(streams, rng, footers=True):
    """Returns a file with the chunks of all streams mixed."""
    parts = [b"XDF:", chunk(1, b'<?xml version="1.0"?><info><version>1.0</version></info>')]
    parts.extend(chunk(2, struct.pack("<I", stream.id) + stream.header) for stream in streams)
    queues = [queue for queue in (stream.chunks(rng) for stream in streams) if queue]
    while queues:
        queue = rng.choice(queues)
        parts.append(queue.pop(0))
        if rng.random() < 0.1:
            parts.append(chunk(5, BOUNDARY))
        if not queue:
            queues.remove(queue)
    if footers:
        parts.extend(stream.footer() for stream in streams)
    return b"".join(parts)


def main(folder, count):
    logging.getLogger("pyxdf").setLevel(logging.CRITICAL)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(int(count)):
        rng = random.Random(seed)
        streams = [Stream(rng, number + 1) for number in range(rng.randint(1, 3))]
        path = folder / f"{seed:04}.xdf"
        path.write_bytes(file(streams, rng, rng.random() < 0.9))
        loaded, _ = pyxdf.load_xdf(path, jitter_break_threshold_seconds=0.5, jitter_break_threshold_samples=10)
        offsets = [abs(value) for stream in loaded for value in stream["clock_values"]]
        arrays = [[max(offsets, default=0.0)], *(stream["time_stamps"] for stream in loaded)]
        times = [np.asarray(array, "<f8").tobytes() for array in arrays]
        path.with_suffix(".times").write_bytes(b"".join(times))


if __name__ == "__main__":
    main(*sys.argv[1:])
