"""Runs the ppdp program and gives its results as dictionaries or, with pandas, as data frames.

    import ppdp

    found = ppdp.evaluate("my.csv", "theirs.csv", split=0.2)      # what ppdp evaluate --json writes
    rows = ppdp.run("rps/fig1", quick=True)                       # one dictionary per mean
    table = ppdp.results("results/quick/rps/fig1", frame=True)    # a pandas.DataFrame

Options are those of the program's verbs, with _ for -: ppdp.evaluate(..., holdout="later.csv",
groups=["sex", "race"]). The program is the one of this package, or that of PPDP_PROGRAM.
"""

from __future__ import annotations

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
from typing import Any, Union

__all__ = ["Error", "call", "evaluate", "program", "results", "run"]

Table = Union[str, "os.PathLike[str]", Any]  # a CSV file, or a pandas.DataFrame


class Error(RuntimeError):
    """The program failed; the text is what it wrote to its standard error."""


def program() -> str:
    """The path of the program: PPDP_PROGRAM, that of this package, or the one on the PATH."""
    name = "ppdp.exe" if os.name == "nt" else "ppdp"
    own = pathlib.Path(sysconfig.get_path("scripts"), name)
    found = os.environ.get("PPDP_PROGRAM") or (str(own) if own.exists() else shutil.which("ppdp"))
    if not found:
        raise Error("no program ppdp: install the wheel for this machine, or set PPDP_PROGRAM")
    return found


def call(*arguments: str, **options: Any) -> str:
    """Runs the program with arguments and options and returns its standard output.

    An option is True for a flag, None or False to be left out, a list for several values, and
    anything else by its text. Raises Error unless the exit code is 0.
    """
    code, text, problem = _call(arguments, options)
    if code != 0:
        raise Error(problem)
    return text


def evaluate(original: Table, release: Table, *more: Table, **options: Any) -> dict[str, Any]:
    """Measures releases of a table: the JSON of "ppdp evaluate".

    Tables are CSV files, or data frames of pandas. Needs holdout= or split=. Without out= the page
    and the run are not kept. With policy=, limits that do not hold are in ["checks"].
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [_file(table, pathlib.Path(folder, f"{name}.csv")) for name, table in
                 zip(["original", *(f"release{i}" for i in range(1, 2 + len(more)))],
                     [original, release, *more])]
        options.setdefault("out", os.path.join(folder, "evaluated"))
        code, text, problem = _call(("evaluate", *files), {**options, "json": True})
    if code != 0 and not text.strip():
        raise Error(problem)
    return json.loads(text)


def run(spec: Union[str, "os.PathLike[str]"], *, out: Union[str, None] = None, frame: bool = False,
        **options: Any) -> Any:
    """Runs an experiment, a spec's file or the name of one that comes with ppdp.

    Returns what results gives of its folder.
    """
    text = call("run", os.fspath(spec), out=out, **options)
    return results(re.findall(r"failed: (.+)$", text, re.MULTILINE)[-1], frame=frame)


def results(folder: Union[str, "os.PathLike[str]"], *, frame: bool = False) -> Any:
    """The means of a finished run, from the summary.csv of its folder.

    A list of dictionaries, in which columns of numbers are float, or None where there is none. With
    frame=True a pandas.DataFrame.
    """
    file = pathlib.Path(folder, "summary.csv")
    if frame:
        import pandas

        return pandas.read_csv(file)
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    for name in rows[0] if rows else ():
        values = [_number(row[name]) for row in rows]
        if all(value is not NotImplemented for value in values):
            for row, value in zip(rows, values):
                row[name] = value
    return rows


def _number(text: str) -> Any:
    try:
        return float(text) if text else None
    except ValueError:
        return NotImplemented


def _file(table: Table, path: pathlib.Path) -> str:
    if hasattr(table, "to_csv"):
        table.to_csv(path, index=False)
        return str(path)
    return os.fspath(table)


def _call(arguments: tuple[str, ...], options: dict[str, Any]) -> tuple[int, str, str]:
    command = [program(), *arguments]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            command.append(flag)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else [value]
            command.append(f"{flag}={','.join(map(str, values))}")
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    return done.returncode, done.stdout, done.stderr.strip()
