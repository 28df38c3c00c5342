"""Tests the extension in one version of DuckDB. `cargo xtask duckdb --test` runs this file for each version.

Each function whose name begins with `test` is a test.
"""

import csv
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import threading
from pathlib import Path

import duckdb

EXTENSION = os.environ["INPUTANIM_EXTENSION"]
PROGRAM = os.environ["INPUTANIM_PROGRAM"]
ROOT = Path(os.environ["INPUTANIM_ROOT"])
OUT = Path(os.environ["INPUTANIM_OUT"])
SAMPLES = ROOT / "samples"
# The recordings of the corpus are included if it exists.
RECORDINGS = os.environ["INPUTANIM_RECORDINGS"].splitlines()


def connect(**config):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", **config})
    connection.execute(f"LOAD '{EXTENSION}'")
    return connection


def rows(query, connection=None):
    return (connection or connect()).execute(query).fetchall()


def error(query, connection=None):
    """Returns the message of a query that must fail."""
    try:
        rows(query, connection)
    except duckdb.Error as failure:
        return str(failure)
    raise AssertionError(f"no error: {query}")


def program(*arguments):
    """Runs the program. Exit code 3 says that a recording is damaged."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    return done.stdout if done.returncode in (0, 3) else None


def folder(name):
    path = OUT / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def without_w(recording, path):
    """Writes a recording as MRTK 2.6.0 to 2.7.2 do, which save only the first key of the w of each rotation."""
    content = json.loads(program("convert", "--to", "json", recording, "-"))
    for curve in content["curves"]:
        if curve["curve"].endswith("rotation.w"):
            del curve["keys"][1:]
    source = path.with_suffix(".json")
    source.write_text(json.dumps(content))
    subprocess.run([PROGRAM, "convert", source, path], check=True, capture_output=True)
    source.unlink()


def singles(values):
    """Returns numbers in single precision, as bytes."""
    return struct.pack(f"<{len(values)}f", *values)


STATES = {"true": True, "1": True, "false": False, "0": False}


def expected(texts, values):
    """Returns the cells of a column of CSV, in the type of the values that were found; `None` for empty cells."""
    kind = next((type(value) for value in values if value is not None), str)
    convert = {bool: STATES.__getitem__, int: int, float: float}.get(kind, str)
    return [convert(text) if text else None for text in texts]


def assert_equal_tables(query, text):
    """Compares a query with a table of the program, to the last bit."""
    connection = connect()
    result = connection.execute(query)
    names = [column[0] for column in result.description]
    found = result.fetchall()
    types = {row[0]: row[1] for row in rows(f"DESCRIBE {query}", connection)}
    header, *lines = csv.reader(text.splitlines())
    assert len(found) == len(lines), (len(found), len(lines))
    table = dict(zip(header, zip(*lines)))
    for name, values in zip(names, zip(*found)):
        if name not in table:
            continue
        # CSV has no empty texts.
        values = [None if value == "" else value for value in values]
        wanted = expected(table[name], values)
        if types[name] == "FLOAT" and [value is None for value in values] == [value is None for value in wanted]:
            numbers = [[value for value in column if value is not None] for column in (values, wanted)]
            is_same = singles(numbers[0]) == singles(numbers[1])
        else:
            is_same = values == wanted
        different = [(row, a, b) for row, (a, b) in enumerate(zip(values, wanted)) if a != b] if not is_same else []
        assert is_same, (name, different[:1])
    return len(found)


def test_samples_equal_those_of_the_program():
    compared = 0
    for path in RECORDINGS:
        for function, shape in [("", "wide"), ("_tidy", "tidy"), ("_keys", "keys")]:
            table = program("convert", "--to", "csv", "--shape", shape, path, "-")
            query = f"SELECT * FROM read_inputanim{function}('{path}')"
            if table is None:
                continue
            compared += assert_equal_tables(query, table)
    assert compared > 1000, compared
    options = ["--rate", "30", "--space", "openxr", "--joints", "right.Palm,head"]
    table = program("convert", "--to", "csv", *options, SAMPLES / "two-hands.bin", "-")
    query = f"SELECT * FROM read_inputanim('{SAMPLES}/two-hands.bin', rate := 30, space := 'openxr', joints := ['right.Palm', 'head'])"
    assert assert_equal_tables(query, table) == 271


def test_key_times_equal_those_of_the_program():
    path = SAMPLES / "two-hands.bin"
    table = program("convert", "--to", "csv", "--at-keys", path, "-")
    assert assert_equal_tables(f"SELECT * FROM read_inputanim('{path}', at_keys := true)", table) > 100
    # The number of rows does not depend on the selected columns.
    count = rows(f"SELECT count(\"left.Palm.position.x\"), count(*) FROM read_inputanim('{path}', at_keys := true)")
    assert count[0][1] == len(table.splitlines()) - 1


def test_rows_of_segments_equal_those_of_the_program():
    trials = folder("segments") / "trials.csv"
    trials.write_text("recording,start,end,condition\npinch-drag,0.5,2,near\nreach,0,0.75,far\n")
    windows = [
        ("pinch@-0.7..0.35", ["rate", "90"]),
        ("marker@-0.5..0.5", ["rate", "59.94"]),
        ("tracked@end-0.2..end+0.2", []),
        ("movement@start..end", ["points", "11"]),
        ("markers", ["at-keys"]),
        (trials, ["rate", "120"]),
    ]
    compared = 0
    for segments, options in windows:
        given = [f"--{options[0]}", *options[1:]] if options else []
        parameter = f", {options[0].replace('-', '_')} := {options[1] if options[1:] else 'true'}" if options else ""
        for function, shape in [("", "wide"), ("_tidy", "tidy"), ("_keys", "keys")]:
            if shape == "keys":
                given, parameter = [], ""
            source = f"'{SAMPLES}/pinch-drag.bin', '{SAMPLES}/reach.bin'"
            table = folder("segments-out") / "rows.csv"
            paths = [SAMPLES / "pinch-drag.bin", SAMPLES / "reach.bin"]
            assert program("convert", *paths, "-o", table, "--shape", shape, "--segments", segments, *given) is not None
            query = f"SELECT * FROM read_inputanim{function}([{source}], recording := true, segments := '{segments}'{parameter})"
            compared += assert_equal_tables(query, table.read_text())
    assert compared > 10_000, compared
    # A column that is not selected does not change the rows.
    count = f"SELECT count(*), count(segment_damage) FROM read_inputanim('{SAMPLES}', segments := 'pinch@-1..1', rate := 50)"
    assert rows(count) == [(303, 0)]
    assert "found both" in error(f"SELECT * FROM read_inputanim('{SAMPLES}', points := 5, rate := 60)")
    assert "targets" in error(f"SELECT * FROM read_inputanim('{SAMPLES}', segments := 'look@0..1')")


def test_measures_and_events_equal_those_of_the_program():
    for path in sorted(SAMPLES.glob("*.bin")):
        table = program("stats", path, "--format", "csv")
        assert assert_equal_tables(f"SELECT * FROM read_inputanim_stats('{path}')", table) == 1
        table = program("events", path, "--format", "csv")
        assert assert_equal_tables(f"SELECT * FROM read_inputanim_events('{path}')", table) > 5
    table = program("stats", SAMPLES / "reach.bin", "--segments", "reach*:touch*", "--format", "csv")
    query = f"SELECT * FROM read_inputanim_stats('{SAMPLES}/reach.bin', segments := 'reach*:touch*')"
    assert assert_equal_tables(query, table) > 2
    table = program("stats", SAMPLES / "reach.bin", "--tidy", "--measures", "pinches,{left,right}.Palm.speed", "--format", "csv")
    query = f"SELECT * FROM read_inputanim_measures('{SAMPLES}/reach.bin', measures := ['pinches', '{{left,right}}.Palm.speed'])"
    assert assert_equal_tables(query, table) > 10
    table = program("events", SAMPLES / "reach.bin", "--kind", "fixation,movement", "--format", "csv")
    query = f"SELECT * FROM read_inputanim_events('{SAMPLES}/reach.bin', kinds := 'fixation, movement')"
    assert assert_equal_tables(query, table) > 5


def test_a_file_is_named_by_a_path_a_pattern_or_a_list():
    connection = connect()
    for source in [f"'{SAMPLES}/*.bin'", f"read_inputanim('{SAMPLES}')", f"read_inputanim('{SAMPLES}/**/*.bin')"]:
        found = rows(f"SELECT count(DISTINCT filename) FROM {source}", connection)
        assert found == [(4,)], (source, found)
    listed = f"read_inputanim(['{SAMPLES}/wave.bin', '{SAMPLES}/reach.bin'], filename := false)"
    assert len(rows(f"DESCRIBE SELECT * FROM {listed}", connection)) == 397
    named = f"SELECT DISTINCT file FROM read_inputanim('{SAMPLES}/wave.bin', filename := 'file')"
    assert rows(named, connection) == [(f"{SAMPLES}/wave.bin",)]
    pattern = "path_pattern := '{take}.bin'"
    found = rows(f"SELECT DISTINCT take FROM read_inputanim('{SAMPLES}/*.bin', {pattern}) ORDER BY 1", connection)
    assert found == [("pinch-drag",), ("reach",), ("two-hands",), ("wave",)]


def test_damage_is_shown_and_repaired():
    here = folder("damaged")
    good, lost, cut = here / "good.bin", here / "lost.bin", here / "cut.bin"
    shutil.copy(SAMPLES / "wave.bin", good)
    without_w(good, lost)
    cut.write_bytes(good.read_bytes()[:-20_000])
    connection = connect()
    for function in ["", "_tidy", "_keys", "_events", "_stats", "_findings"]:
        query = f"SELECT DISTINCT damage FROM read_inputanim{function}(['{good}', '{lost}'], repair := $repair) ORDER BY ALL"
        found = rows(query.replace("$repair", "false"), connection)
        assert ("D1",) in found and set(found) <= {("D1",), (None,)}, (function, found)
        assert set(rows(query.replace("$repair", "true"), connection)) <= {(None,)}, function
    listed = "SELECT parse_filename(filename), damage FROM inputanim_damage() WHERE query = (SELECT max(query) FROM inputanim_damage())"
    for column, expected in [("right.Palm.rotation.x", [("lost.bin", "D1")]), ("right.Palm.position.x", [])]:
        connection = connect()
        before = rows("SELECT count(*) FROM inputanim_damage()", connection)
        rows(f"SELECT max(\"{column}\") FROM read_inputanim('{here}/[gl]*.bin')", connection)
        after = rows("SELECT count(*) FROM inputanim_damage()", connection)
        assert (after != before) == bool(expected), (column, before, after)
        assert not expected or rows(listed, connection) == expected
    # Repaired rows are equal to the rows of the repaired file.
    repaired = here / "repaired.bin"
    assert program("repair", lost, "-o", repaired) is not None
    of = "SELECT * EXCLUDE (filename) FROM read_inputanim('{}', rate := 10, repair := {})"
    assert rows(of.format(lost, "true")) == rows(of.format(repaired, "false"))
    assert "cut.bin" in error(f"SELECT count(*) FROM '{cut}'")
    found = rows(f"SELECT DISTINCT damage FROM read_inputanim('{cut}', recover := true)")
    assert found == [("recovered",)], found


def test_ranges_that_exceed_a_recording_are_noticed():
    connection = connect()
    rows(f"SELECT count(*) FROM read_inputanim_tidy('{SAMPLES}/wave.bin', time_end := 100)", connection)
    notices = "SELECT parse_filename(filename), kind, detail FROM inputanim_notices() WHERE query = (SELECT max(query) FROM inputanim_notices())"
    found = rows(notices, connection)
    assert found == [("wave.bin", "the time range exceeds the recording", "used 0.000 s to 4.000 s")], found
    # Also if the query ends early.
    connection = connect()
    rows(f"SELECT time_s FROM read_inputanim_tidy('{SAMPLES}/reach.bin', time_end := 100) LIMIT 1", connection)
    assert rows(notices, connection)[0][0] == "reach.bin"


def test_losses_and_skipped_files_are_noticed():
    here = folder("notices")
    frames = here / "lost.iwer.json"
    assert program("convert", SAMPLES / "wave.bin", frames, "--to", "iwer") is not None
    content = json.loads(frames.read_text())
    # The second frame is at the time of the first, so that it cannot be recorded.
    content["frames"][1][0] = content["frames"][0][0]
    frames.write_text(json.dumps(content))
    connection = connect()
    rows(f"SELECT count(*) FROM read_inputanim_tidy('{here}', format := 'iwer')", connection)
    notices = "SELECT parse_filename(filename), kind, detail FROM inputanim_notices() WHERE query = (SELECT max(query) FROM inputanim_notices())"
    found = rows(notices, connection)
    assert [(file, detail[:7]) for file, kind, detail in found if kind == "lost"] == [("lost.iwer.json", "1 frame")], found
    here = folder("skipped")
    for to in ["mcap", "isaac"]:
        assert program("convert", SAMPLES / "wave.bin", here / f"{to}.mcap", "--to", to) is not None
    rows(f"SELECT count(*) FROM read_inputanim_tidy('{here}', format := 'mcap')", connection)
    found = rows(notices, connection)
    assert found == [("isaac.mcap", "skipped, another format", "isaac, not mcap")], found


def test_parameters_targets_and_reasons():
    path = SAMPLES / "reach.bin"
    parameters = '{"gaze.idt.dispersion": 3, "gaze": {"idt": {"duration": 0.1}}}'
    targets = folder("targets") / "targets.csv"
    targets.write_text("name,shape,x,y,z,radius\nscreen,sphere,0,1.4,2,0.4\n")
    options = ["--parameter", "gaze.idt.dispersion=3", "--parameter", "gaze.idt.duration=0.1", "--targets", targets]
    call = f"parameters := '{parameters}', targets := '{targets}'"
    table = program("stats", path, *options, "--format", "csv")
    assert "screen.dwell" in table
    assert assert_equal_tables(f"SELECT * FROM read_inputanim_stats('{path}', {call})", table) == 1
    table = program("events", path, *options, "--format", "csv")
    assert assert_equal_tables(f"SELECT * FROM read_inputanim_events('{path}', {call})", table) > 5
    [missing] = json.loads(program("stats", path, *options, "--format", "json"))
    [(found,)] = rows(f"SELECT missing FROM read_inputanim_stats('{path}', {call})")
    assert json.loads(found) == missing["missing"]
    for given, message in [
        ("parameters := '{\"gaze.idt.dispersoin\": 3}'", "did you mean"),
        ("parameters := '[3]'", "expected an object"),
        ("parameters := 'x'", "invalid JSON"),
        ("parameters := '{\"channels.rate\": 30}', rate := 90", "found both"),
        (f"targets := '{path}'", "reach.bin"),
        ("targets := 'no-such-file.csv'", "no-such-file.csv: cannot read the file"),
    ]:
        assert message in error(f"SELECT count(*) FROM read_inputanim_stats('{path}', {given})"), given


def test_other_files_with_the_same_ending_are_left_alone():
    other = folder("other") / "other.bin"
    other.write_bytes(b"not a recording")
    message = error(f"SELECT * FROM '{other}'")
    assert "does not exist" in message or "No extension found" in message, message
    message = error(f"SELECT * FROM read_inputanim('{other}')")
    assert "other.bin" in message and "such files are not read" in message, message
    assert "no recordings found" in error(f"SELECT * FROM read_inputanim('{other.parent}/none/*.bin')")


def test_measures_and_events_of_the_trials_of_a_table():
    table = folder("trials") / "trials.csv"
    table.write_text("recording,trial,start,end,condition\nwave,1,0.5,2,near\nwave,2,2,3.5,far\n")
    segments = f"segments := '{table}', filename := false"
    found = rows(f"SELECT segment, condition, start_s, end_s FROM read_inputanim_stats('{SAMPLES}', {segments})")
    assert found == [("1", "near", 0.5, 2.0), ("2", "far", 2.0, 3.5)]
    events = f"SELECT condition, kind FROM read_inputanim_events('{SAMPLES}', {segments}) LIMIT 3"
    assert rows(events) == [("near", "marker"), ("near", "movement"), ("far", "movement")]
    table.write_text("recording,start,end\nwaave,0,1\n")
    message = error(f"SELECT * FROM read_inputanim_stats('{SAMPLES}', {segments})")
    assert 'line 2: unknown recording "waave"; did you mean "wave"?' in message, message


def test_errors_name_the_file_the_curve_and_the_byte():
    intact = (SAMPLES / "wave.bin").read_bytes()
    study = folder("damaged")
    (study / "a.bin").write_bytes(intact)
    (study / "b.bin").write_bytes(intact[: len(intact) // 2])
    message = error(f"SELECT count(*), avg(time_s) FROM '{study}/*.bin'")
    assert "b.bin" in message and "byte" in message, message
    connection = connect()
    query = f"SELECT filename, count(*) FROM read_inputanim('{study}', ignore_errors := true) GROUP BY 1"
    assert rows(query, connection) == [(f"{study}/a.bin", 241)]
    skipped = rows("SELECT filename, curve, byte FROM inputanim_errors() ORDER BY query DESC LIMIT 1", connection)
    [(file, curve, byte)] = skipped
    assert file.endswith("b.bin") and "." in curve and 0 < byte <= len(intact), skipped
    for call in [
        "rate := -1", "space := 'moon'", "joints := 'Elbow'", "joints := ['Palm', NULL]", "joints := []", "time_start := 3, time_end := 2", "time_start := 100",
        "time_start := 'nan'", "time_start := 1e39", "time_start := 'infinity'", "time_end := '-infinity'", "at_keys := true, rate := 5",
    ]:
        message = error(f"SELECT * FROM read_inputanim('{study}/a.bin', {call})")
        assert "Error" in message, message
    assert rows(f"SELECT count(*) FROM read_inputanim('{study}/a.bin', time_end := 'infinity')") == [(241,)]
    for paths in ["[]", "''"]:
        message = error(f"FROM read_inputanim({paths})")
        assert "no recordings are given" in message, message


def test_only_columns_of_the_query_are_computed():
    [(_, plan)] = rows(f"EXPLAIN SELECT max(\"left.Palm.position.x\") FROM '{SAMPLES}/*.bin'")
    assert "left.Palm.position.x" in plan.replace("\n", "") and "rotation" not in plan, plan
    everything = rows(f"SELECT * FROM '{SAMPLES}/*.bin'")
    names = [row[0] for row in rows(f"DESCRIBE SELECT * FROM '{SAMPLES}/*.bin'")]
    for some in (["time_s"], names[200:203], [names[-1], "filename"]):
        listed = ", ".join(f'"{name}"' for name in some)
        places = [names.index(name) for name in some]
        found = rows(f"SELECT {listed} FROM '{SAMPLES}/*.bin'")
        assert found == [tuple(row[place] for place in places) for row in everything]


def test_rows_keep_their_order_with_any_number_of_threads():
    query = f"SELECT filename, time_s FROM read_inputanim('{SAMPLES}/*.bin', rate := 1000)"
    sums = f"SELECT filename, count(*), sum(\"right.IndexTip.position.y\"::DOUBLE) FROM read_inputanim('{SAMPLES}/*.bin') GROUP BY 1 ORDER BY 1"
    expected_rows, expected_sums = None, None
    for threads in (1, 2, 4):
        connection = connect(threads=threads, memory_limit="200MB")
        found = rows(query, connection)
        assert found == sorted(found)
        expected_rows = expected_rows or found
        assert found == expected_rows
        counts = [row[:2] for row in rows(sums, connection)]
        expected_sums = expected_sums or counts
        assert counts == expected_sums
        assert rows(query + " LIMIT 3", connection) == found[:3]


def test_prepared_statements_views_and_macros():
    connection = connect()
    connection.execute("PREPARE q AS SELECT count(*) FROM read_inputanim($1, rate := $2)")
    counts = [rows(f"EXECUTE q('{SAMPLES}/wave.bin', {rate})", connection) for rate in (30, 60, 30)]
    assert counts == [[(121,)], [(241,)], [(121,)]]
    connection.execute(f"CREATE VIEW study AS SELECT * FROM read_inputanim('{SAMPLES}/*.bin')")
    assert rows("SELECT count(*) FROM study", connection) == rows("SELECT count(*) FROM study", connection)
    connection.execute("CREATE MACRO heights(path) AS TABLE SELECT time_s, \"head.position.y\" AS y FROM read_inputanim(path)")
    assert rows(f"SELECT count(y) FROM heights('{SAMPLES}/wave.bin')", connection) == [(241,)]
    joined = "SELECT count(*) FROM study a JOIN study b USING (filename, time_s)"
    assert rows(joined, connection) == rows("SELECT count(*) FROM study", connection)


def test_many_connections_at_once():
    connection = connect()
    query = f"SELECT filename, avg(\"left.Palm.position.x\") FROM '{SAMPLES}/*.bin' GROUP BY 1 ORDER BY 1"
    wanted = rows(query, connection)
    found = []

    def work():
        cursor = connection.cursor()
        for _ in range(5):
            found.append(cursor.execute(query).fetchall())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20 and all(len(rows) == len(wanted) for rows in found)


def test_a_query_can_be_interrupted():
    long = folder("long") / "long.bin"
    program("generate", "two-hands", "--seconds", "120", "-o", long)
    connection = connect(threads=2)
    failures = []

    def work():
        try:
            connection.execute(f"SELECT sum(COLUMNS('position')) FROM read_inputanim('{long}', rate := 30000, no_limits := true)").fetchall()
        except duckdb.Error as failure:
            failures.append(str(failure))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(0.2)
    # An interruption before the query starts has no effect.
    for _ in range(300):
        connection.interrupt()
        thread.join(0.1)
        if not thread.is_alive():
            break
    assert not thread.is_alive()
    assert failures and "INTERRUPT" in failures[0].upper(), failures
    long.unlink()


def test_mutated_files_never_end_the_process():
    """Two thousand files with random damage: each gives rows or an error."""
    study = folder("mutated")
    chance = random.Random(1)
    sources = [(SAMPLES / name).read_bytes() for name in ("wave.bin", "reach.bin")]
    for number in range(2000):
        content = bytearray(chance.choice(sources)[: chance.choice([2_000, 60_000])])
        for _ in range(chance.randrange(1, 8)):
            place = chance.randrange(len(content)) if chance.random() < 0.5 else chance.randrange(200)
            content[place] = chance.randrange(256)
        (study / f"{number:04}.bin").write_bytes(content)
    # Some files are complete, so that rows are computed too.
    for number in range(20):
        content = bytearray(sources[number % 2])
        for _ in range(30):
            place = chance.randrange(100, len(content))
            content[place] = chance.randrange(256)
        (study / f"complete{number:02}.bin").write_bytes(content)
    connection = connect(threads=2)
    for function in ["read_inputanim", "read_inputanim_keys", "read_inputanim_events", "inputanim_info", "read_inputanim_findings"]:
        limit = ", time_end := 1, rate := 10" if function == "read_inputanim" else ""
        query = f"SELECT count(*) FROM (SELECT * FROM {function}('{study}', ignore_errors := true{limit}) LIMIT 100000)"
        assert rows(query, connection)[0][0] >= 0
    # `count(*)` alone needs no curve, so the checks above read all columns.
    [(number,)] = rows("SELECT count(*) FROM inputanim_errors() WHERE query = (SELECT max(query) FROM inputanim_errors())", connection)
    assert number > 1000, number
    shutil.rmtree(study)


def test_quaternions():
    [found] = rows("""SELECT
        quat_multiply([0, 0.6, 0, 0.8], [0, 0, 0, 1]),
        quat_conjugate({'x': 0.1, 'y': 0.2, 'z': 0.3, 'w': 0.4}),
        quat_rotate(quat_from_yaw_pitch_roll(90, 0, 0), {'x': 0, 'y': 0, 'z': 1}),
        quat_angle([0, 0, 0, 1], [0, 0, 0, -1]),
        quat_slerp([0, 0, 0, 1], [0, 1, 0, 0], 0.5),
        quat_to_yaw_pitch_roll(quat_from_yaw_pitch_roll(30, -20, 10)),
        quat_angle(NULL, [0, 0, 0, 1]),
        quat_multiply([0, NULL, 0, 1], [0, 0, 0, 1])""")
    product, conjugate, rotated, angle, between, angles, null, part = found
    assert product == [0, 0.6, 0, 0.8]
    assert conjugate == {"x": -0.1, "y": -0.2, "z": -0.3, "w": 0.4}
    assert abs(rotated["x"] - 1) < 1e-12 and abs(rotated["z"]) < 1e-12
    assert angle == 0 and null is None and part is None
    assert all(abs(a - b) < 1e-12 for a, b in zip(between, [0, 0.5**0.5, 0, 0.5**0.5]))
    assert all(abs(a - b) < 1e-9 for a, b in zip(angles.values(), [30, -20, 10]))
    assert "expected a list of 4 numbers, found 3" in error("SELECT quat_angle([0, 0, 1], [0, 0, 0, 1])")
    # The program and SQL compute angles with the same function.
    path = SAMPLES / "two-hands.bin"
    [(wanted,)] = rows(f"SELECT \"head.pitch_range\" FROM read_inputanim_stats('{path}')")
    pitch = """quat_to_yaw_pitch_roll({'x': "head.rotation.x", 'y': "head.rotation.y",
        'z': "head.rotation.z", 'w': "head.rotation.w"}).pitch"""
    [(found,)] = rows(f"SELECT max({pitch}) - min({pitch}) FROM '{path}'")
    assert abs(found - wanted) < 1e-3, (found, wanted)


def test_columns_are_listed_with_units():
    connection = connect()
    listed = rows("SELECT name, type FROM inputanim_columns() WHERE function = 'read_inputanim'", connection)
    described = rows(f"DESCRIBE SELECT * FROM '{SAMPLES}/wave.bin'", connection)
    assert listed == [row[:2] for row in described]
    units = rows("SELECT DISTINCT unit FROM inputanim_columns()", connection)
    assert {("m",), ("s",), ("°",)} <= set(units), units


def test_a_table_is_written_to_parquet_by_participant():
    out = folder("parquet")
    query = f"SELECT *, parse_filename(filename, true) AS take FROM read_inputanim('{SAMPLES}/*.bin')"
    connection = connect()
    connection.execute(f"COPY ({query}) TO '{out}' (FORMAT parquet, PARTITION_BY (take), OVERWRITE_OR_IGNORE)")
    found = rows(f"SELECT count(*) FROM read_parquet('{out}/**/*.parquet')", connection)
    assert found == rows(f"SELECT count(*) FROM '{SAMPLES}/*.bin'", connection)


def test_the_command_line_of_duckdb():
    """Loads the extension in DuckDB's own program, if it is installed."""
    command = Path(sys.executable).parent / "duckdb"
    if not command.exists():
        return
    query = f"LOAD '{EXTENSION}'; SELECT count(*) AS n FROM '{SAMPLES}/*.bin';"
    done = subprocess.run([command, "-unsigned", "-csv", "-c", query], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["n", "1384"], done.stdout


if __name__ == "__main__":
    wanted = sys.argv[1:]
    failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test") and (not wanted or name in wanted):
            try:
                test()
                print("ok", name)
            except AssertionError as failure:
                failed += 1
                print("FAILED", name, failure)
    print(f"DuckDB {duckdb.__version__}: {failed} failed")
    sys.exit(failed > 0)
