"""Forks the programs that `tests/launch.py` stands for, from a process where everything is imported already."""

import atexit
import marshal
import os
import signal
import socket
import sys
import threading
from functools import cache, partial
from multiprocessing import process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from pkgutil import resolve_name
from shutil import rmtree
from tempfile import mkdtemp
from typing import NoReturn

from tests.forked import fork_server, run_module
from tests.launch import NUMBER

PROGRAM = Path(__file__).with_name("launch.py")


def command(*module: str) -> tuple[str, ...]:
    """The command of `python -m MODULE …`, for a client to start."""
    return _command(_launcher(), *module)


def _command(server: str, *module: str) -> tuple[str, ...]:
    return (sys.executable, "-IS", str(PROGRAM), server, *module)


@cache
def _launcher() -> str:
    """The socket of the one of this test process."""
    ours, theirs = fork_server().Pipe()
    fork_server().Process(target=_serve, args=(theirs,), daemon=True).start()
    theirs.close()
    _LIVES.append(ours)
    path: str = ours.recv()
    return path


_LIVES: list[Connection] = []
"""What a launcher ends with: our end of a pipe, which closes however this process ends."""


def _serve(life: Connection) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for the programs
    folder = Path(mkdtemp(prefix="gateway-launcher-"))
    path = str(folder / "socket")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(100)
            life.send(path)
            while life not in wait([listener, life]):
                connection, _ = listener.accept()
                if os.fork() == 0:
                    try:
                        listener.close()
                        _keep(path, connection)
                    finally:  # also where who asked for it is gone, and hears no more
                        os._exit(0)
                connection.close()
    finally:
        rmtree(folder)


def _keep(path: str, connection: socket.socket) -> None:
    """One program from its beginning to its end: ours in the eyes of whoever asked for it."""
    for inherited in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(inherited, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(connection, NUMBER.size, 3)
    with connection.makefile("rb") as words:
        arguments, folder, variables = marshal.loads(words.read(*NUMBER.unpack(size)))
    program = os.fork()
    if program == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _become(path, arguments, folder, variables)
    for stream in (0, 1, 2, *streams):
        os.close(stream)
    connection.sendall(NUMBER.pack(program))
    threading.Thread(target=_end_with, args=(connection, program), daemon=True).start()
    _, status = os.waitpid(program, 0)
    connection.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))


def _end_with(connection: socket.socket, program: int) -> None:
    """Who asked for it was killed, and cannot be told any more how it ended."""
    connection.recv(1)
    os.kill(program, signal.SIGKILL)


def _become(path: str, arguments: tuple[str, ...], folder: str, variables: dict[str, str]) -> NoReturn:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process._parent_process = None  # type: ignore[attr-defined]  # as it is for a program
    server = resolve_name("mcp_server.stdio_server")
    server.EmbeddedProcess = partial(server.EmbeddedProcess, _command(path, "app", "internal-api"))
    code: object = 1
    try:
        run_module(arguments[0], arguments[1:], folder, variables)
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001  told as Python tells it
        sys.excepthook(*sys.exc_info())
    if not isinstance(code, int | None):
        sys.stderr.write(f"{code}\n")
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as Python does
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code or 0)
