"""The notebook docs/tutorial.ipynb. `python python/tests/test_tutorial.py` executes it and saves its outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs/tutorial.ipynb"

# Results of the notebook. They are compared with the known parameters of the generated recordings.
RESULTS = """
import json
print(json.dumps({
    "files": len(list(study.rglob("*.bin"))),
    "trials": len(trials),
    "per_condition": trials.groupby("condition", observed=True).size().tolist(),
    "amplitudes": trials.groupby("condition", observed=True)["amplitude_m"].mean().to_dict(),
    "missing": int(trials.isna().sum().sum()),
    "damaged": int((findings["severity"] == "damage").sum()),
    "interval": [low, high],
    "converged": bool(fit.converged),
    "saved": len((study / "trials.csv").read_text().splitlines()),
}))
"""


def executed(notebook: Any) -> Any:
    """Executes a notebook in docs/, and returns it with its outputs."""
    nbclient = pytest.importorskip("nbclient")
    resources = {"metadata": {"path": str(NOTEBOOK.parent)}}
    # Without coalescing, the pieces of a printed text depend on when the kernel sends them.
    options = {"timeout": 300, "record_timing": False, "coalesce_streams": True, "resources": resources}
    nbclient.NotebookClient(notebook, **options).execute()
    return notebook


def texts(cell: Any) -> list[str]:
    """Returns the texts of the outputs of a cell; a figure is its name."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        found.append("figure" if "image/png" in data else output.get("text") or data["text/plain"])
    return found


def test_the_tutorial_has_its_results() -> None:
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("statsmodels")
    saved = nbformat.read(NOTEBOOK, 4)
    notebook = nbformat.read(NOTEBOOK, 4)
    notebook.cells.append(nbformat.v4.new_code_cell(RESULTS))
    *cells, last = executed(notebook).cells
    outputs = [texts(cell) for cell in cells]
    assert sum("figure" in found for found in outputs) == 1
    results = json.loads(last.outputs[0].text)
    assert results["files"] == 20 and results["damaged"] == 0 and results["missing"] == 0 and results["converged"]
    assert results["trials"] == 120 and results["per_condition"] == [60, 60] and results["saved"] == 121
    assert results["amplitudes"]["near"] == pytest.approx(0.15, abs=0.01)
    assert results["amplitudes"]["far"] == pytest.approx(0.30, abs=0.01)
    # The hand moves for 0.44 s of each 0.75 s that are played, and far reaches are played 0.3 s longer.
    low, high = results["interval"]
    assert low < high and (low + high) / 2 == pytest.approx(300 * 0.44 / 0.75, abs=25)
    assert outputs == [texts(cell) for cell in saved.cells], "save the new outputs: python python/tests/test_tutorial.py"


if __name__ == "__main__":
    import nbformat

    nbformat.write(executed(nbformat.read(NOTEBOOK, 4)), NOTEBOOK)
