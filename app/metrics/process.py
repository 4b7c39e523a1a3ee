"""What the operating system says of this process, read cheaply enough to be asked every second."""

import os
import resource
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

_STATM, _DESCRIPTORS = Path("/proc/self/statm"), Path("/proc/self/fd")
_PAGE = resource.getpagesize()
_KILOBYTES = 1 if sys.platform == "darwin" else 1024
"""Bytes in a unit of `ru_maxrss`."""


@dataclass(frozen=True, slots=True)
class Process:
    """Of this process and its threads.

    Attributes:
        resident: bytes of memory; where the system tells only the most there ever was, that.
        processor: seconds of processor time so far.
        descriptors: open files and sockets; 0 where that cannot be told.

    """

    resident: int
    processor: float
    descriptors: int
    most_descriptors: int
    threads: int


def read_process() -> Process:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return Process(_resident(), time.process_time(), _open_descriptors(), most, threading.active_count())


def _resident() -> int:
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KILOBYTES


def _open_descriptors() -> int:
    try:
        return len(os.listdir(_DESCRIPTORS))  # noqa: PTH208  names are enough, and objects cost
    except OSError:
        return 0
