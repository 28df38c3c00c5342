"""Monado's service, whose driver `remote` has a head and two hands with controllers of Valve Index.

    monado_service.py MONADO LIBRARIES MANIFEST PROGRAM [ARGUMENT]...

runs a program with Monado as its OpenXR runtime, and exits with its exit code. An argument `@linker` is replaced by the command that
runs the next argument, a program, with the C library of Monado's packages, which is newer than the one of Debian 12.

MONADO is the folder of the extracted packages, LIBRARIES a list of more folders for libraries, and MANIFEST the manifest of Monado.
"""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def linker(monado, libraries):
    """Returns the beginning of a command that runs a program with the C library of Monado's packages."""
    folders = [f"{monado}/usr/lib/x86_64-linux-gnu", *libraries.split(":")]
    return [f"{folders[0]}/ld-linux-x86-64.so.2", "--library-path", ":".join(folders)]


class Service:
    """Monado's service, in a temporary folder."""

    def __init__(self, monado, libraries, manifest):
        # The path of the service's socket must be short.
        self.temporary = tempfile.TemporaryDirectory(prefix="monado-")
        self.folder = Path(self.temporary.name)
        (self.folder / "config/monado").mkdir(parents=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = {"remote": {"version": 0, "port": self.port, "view_count": 2}}
        (self.folder / "config/monado/config_v0.json").write_text(json.dumps(settings))
        self.variables = os.environ | {
            "XDG_RUNTIME_DIR": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XRT_COMPOSITOR_NULL": "1",
            "XRT_NO_STDIN": "1",
            "P_OVERRIDE_ACTIVE_CONFIG": "remote",
        }
        # The service has its own libraries.
        self.variables.pop("LD_LIBRARY_PATH", None)
        # As root, the service would give a thread the priority of real time.
        prefix = ["setpriv", "--bounding-set", "-sys_nice", "--inh-caps", "-sys_nice"] if os.geteuid() == 0 else []
        self.log = self.folder / "log"
        command = [*prefix, *linker(monado, libraries), f"{monado}/usr/bin/monado-service"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.variables)
        # Programs that use the service.
        self.variables["XR_RUNTIME_JSON"] = str(manifest)

    def __enter__(self):
        for _ in range(500):
            if (self.folder / "monado_comp_ipc").exists() and "has started" in self.log.read_text(errors="replace"):
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise SystemExit(f"Monado does not start:\n{self.log.read_text(errors='replace')}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.temporary.cleanup()


def isolate():
    """Leaves the network, if that is allowed. The driver would otherwise listen on all addresses."""
    if os.environ.get("INPUTANIM_ISOLATED") is None and subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        os.environ["INPUTANIM_ISOLATED"] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])
    if os.environ.get("INPUTANIM_ISOLATED"):
        import fcntl

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            # SIOCSIFFLAGS with IFF_UP | IFF_RUNNING.
            fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", 0x41))


def run():
    """Runs the program of the command line."""
    monado, libraries, manifest, *command = sys.argv[1:]
    isolate()
    found = [part for argument in command for part in (linker(monado, libraries) if argument == "@linker" else [argument])]
    with Service(monado, libraries, manifest) as service:
        sys.exit(subprocess.run(found, env=service.variables).returncode)


if __name__ == "__main__":
    run()
