"""Runs every query of docs/sql.md, and compares what it prints. With SNAPSHOTS=overwrite, it writes the results into the page.

A query is a block of `sql`. The block of `text` after it is its result.
"""

import csv
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

sys.argv = [sys.argv[0], "no test"]
sys.path.insert(0, str(Path(__file__).parent))
from check import EXTENSION, OUT, PROGRAM, ROOT, duckdb, folder, single

PAGE = ROOT / "docs/sql.md"
BLOCK = re.compile(r"```sql\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def make_study():
    """Makes the folder in which the queries run: recordings of three participants, tables of trials and answers."""
    here = folder("docs")
    (here / "study").mkdir()
    for number in (1, 2, 3):
        for scene, task in (("reach", "reach"), ("pinch-drag", "drag")):
            out = here / f"study/p{number:02}_{task}.bin"
            command = [PROGRAM, "generate", scene, "--seconds", "6", "--seed", str(number), "-o", out]
            subprocess.run(command, check=True, capture_output=True)
    (here / "trials.csv").write_text(
        "recording,start,end,condition\n"
        + "".join(f"p{n:02}_{task},{start},{start + 3},{condition}\n" for n in (1, 2, 3) for task in ("reach", "drag") for start, condition in ((0, "near"), (3, "far")))
    )
    (here / "questionnaire.csv").write_text("participant,age,presence\np01,24,5.5\np02,31,4.0\np03,27,6.2\n")
    (here / "targets.csv").write_text("name,x,y,z,radius\nscreen,0,1.4,2,0.4\ntable,0.2,0.8,0.8,0.3\n")
    return here


def text(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == struct.unpack("<f", struct.pack("<f", value))[0]:
        # A number in single precision: the shortest digits that give it back.
        digits = (f"{value:.{places}g}" for places in range(1, 10))
        return next(text for text in digits if single(float(text)) == single(value))
    return str(value)


def table(result):
    """Returns a result as aligned text."""
    names = [column[0] for column in result.description]
    lines = [names] + [[text(value) for value in row] for row in result.fetchall()]
    widths = [max(len(line[index]) for line in lines) for index in range(len(names))]
    aligned = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
    return "\n".join(aligned) + "\n"


def main():
    os.chdir(make_study())
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    failed, count = [], 0

    def check(block):
        nonlocal count
        count += 1
        query, wanted = block.groups()
        result = connection.execute(query.replace("LOAD inputanim;", f"LOAD '{EXTENSION}';"))
        found = table(result) if wanted is not None else None
        if found != wanted:
            failed.append(f"{query}{found}")
        after = "" if found is None else f"\n```text\n{found}```\n"
        return f"```sql\n{query}```\n{after}"

    page = PAGE.read_text(encoding="utf-8")
    changed = BLOCK.sub(check, page)
    if os.environ.get("SNAPSHOTS") == "overwrite":
        PAGE.write_text(changed, encoding="utf-8")
    else:
        assert not failed, "docs/sql.md shows other results:\n" + "\n".join(failed)
    print(f"ok: {count} queries of docs/sql.md")
    assert count >= 20


main()
