"""The real Snakemake, started by forking a process that has imported it: tests start it often, and most is imports.

This module imports nothing of the project: every fork imports the code of the copy that it works on.
"""

import atexit
import gc
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

# What the workflow imports besides, whatever the project's code is.
ALSO_IMPORTED = ("llvmlite.binding", "numpy", "pandas", "pydantic", "smart_open", "snakemake.storage", "yaml")


def run(arguments: tuple[str, ...], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs `snakemake` with arguments in a folder; as `subprocess.run(…, capture_output=True, text=True)`."""
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    with tempfile.TemporaryDirectory() as scratch:
        out, err = Path(scratch, "out"), Path(scratch, "err")
        call = {"arguments": arguments, "folder": str(folder), "environment": environment}
        server.stdin.write(json.dumps({**call, "files": [str(out), str(err)]}) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(("snakemake", *arguments), code, out.read_text(), err.read_text())


@cache
def _server() -> subprocess.Popen[str]:
    """One process per worker of pytest-xdist."""
    command = [sys.executable, "-P", __file__]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)
    return server


def _serve() -> None:
    from snakemake.cli import get_argument_parser, main

    for name in ALSO_IMPORTED:
        import_module(name)
    get_argument_parser()  # imports Snakemake's plugins
    gc.freeze()  # what a fork's collector looks through is copied for it
    for line in sys.stdin:
        call = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(call)
            sys.exit(main())
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _become(call: dict[str, Any]) -> None:
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    sys.path[:0] = call["environment"]["PYTHONPATH"].split(os.pathsep)
    sys.argv = [str(Path(sys.executable).with_name("snakemake")), *call["arguments"]]
    for number, path in enumerate([os.devnull, *call["files"]]):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)


if __name__ == "__main__":
    _serve()
