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
from check import EXTENSION, OUT, PROGRAM, ROOT, duckdb, folder, singles, without_w

PAGE = ROOT / "docs/sql.md"
BLOCK = re.compile(r"```sql\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def make_study(page):
    """Makes the folder in which the queries run, with the commands of the page."""
    here = folder("docs")
    [commands] = re.findall(r"```sh\n(mkdir study\n.*?)```", page, re.DOTALL)
    path = f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-ec", commands], cwd=here, check=True, capture_output=True, env={**os.environ, "PATH": path})
    (here / "inputanim.duckdb_extension").symlink_to(EXTENSION)
    (here / "damaged").mkdir()
    without_w(ROOT / "samples/wave.bin", here / "damaged/lost-w.bin")
    return here


def text(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == struct.unpack("<f", struct.pack("<f", value))[0]:
        # A number in single precision is printed with the fewest digits that give it back.
        digits = (f"{value:.{places}g}" for places in range(1, 10))
        return next(text for text in digits if singles([float(text)]) == singles([value]))
    return str(value)


def table(result):
    """Returns a result as aligned text."""
    names = [column[0] for column in result.description]
    lines = [names] + [[text(value) for value in row] for row in result.fetchall()]
    widths = [max(len(line[index]) for line in lines) for index in range(len(names))]
    aligned = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
    return "\n".join(aligned) + "\n"


def main():
    page = PAGE.read_text(encoding="utf-8")
    os.chdir(make_study(page))
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    failed, count = [], 0

    def check(block):
        nonlocal count
        count += 1
        query, wanted = block.groups()
        result = connection.execute(query)
        found = table(result) if wanted is not None else None
        if found != wanted:
            failed.append(f"{query}{found}")
        after = "" if found is None else f"\n```text\n{found}```\n"
        return f"```sql\n{query}```\n{after}"

    changed = BLOCK.sub(check, page)
    if os.environ.get("SNAPSHOTS") == "overwrite":
        PAGE.write_text(changed, encoding="utf-8")
    else:
        assert not failed, "docs/sql.md shows other results:\n" + "\n".join(failed)
    print(f"ok: {count} queries of docs/sql.md")
    assert count >= 20


main()
