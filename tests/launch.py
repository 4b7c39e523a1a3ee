"""`python -IS launch.py SOCKET MODULE …` stands for `python -m MODULE …`, which `tests.launcher` forks.

That is for clients that start a program: it has the streams, folder and environment of this one and is sent its
signals, and this one ends as it ends. Little is imported here, since the imports are what it saves.
"""

import marshal
import os
import signal
import socket
import struct
import sys

NUMBER = struct.Struct("!i")


def main(server: str, *arguments: str) -> int:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(server)
    words = marshal.dumps((arguments, os.getcwd(), dict(os.environ)))  # noqa: PTH109  an import less
    socket.send_fds(connection, [NUMBER.pack(len(words))], [0, 1, 2])
    connection.sendall(words)
    process = _number(connection)
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, lambda number, _frame: os.kill(process, number))
    for stream in (0, 1, 2):
        os.close(stream)  # theirs, who alone says when they end
    code = _number(connection)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _number(connection: socket.socket) -> int:
    (number,) = NUMBER.unpack(connection.recv(NUMBER.size, socket.MSG_WAITALL))
    return int(number)


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
