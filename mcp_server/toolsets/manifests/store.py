"""Manifests as files, `NAME.json` in one folder: written whole or not at all, and read again when they change."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import structlog
from pydantic import ValidationError

from mcp_server.toolsets.manifests.models import Manifest

FOLDER = "manifests"
LARGEST_FILE = 32 * 1024 * 1024

log = structlog.get_logger(__name__)


class ManifestStore:
    """The files below `data_dir`. All of its methods block."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / FOLDER
        self._read: dict[Path, tuple[tuple[int, int], Manifest | str]] = {}

    def load(self) -> Mapping[str, Manifest]:
        """All that are sound, by name; files that have not changed are not read again."""
        self._refresh()
        return {found.name: found for _, found in self._read.values() if isinstance(found, Manifest)}

    def problems(self) -> Mapping[str, str]:
        """What is wrong with the others, by file name."""
        self._refresh()
        return {path.name: found for path, (_, found) in self._read.items() if isinstance(found, str)}

    def save(self, manifest: Manifest) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        place = self.folder / f"{manifest.name}.json"
        draft = place.with_suffix(f".{os.getpid()}.tmp")
        try:
            draft.write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)
        return place

    def remove(self, name: str) -> bool:
        """Whether there was one."""
        try:
            (self.folder / f"{name}.json").unlink()
        except FileNotFoundError:
            return False
        return True

    def _refresh(self) -> None:
        known, self._read = self._read, {}
        for path, stamp in self._files():
            kept = known.get(path)
            self._read[path] = kept if kept is not None and kept[0] == stamp else (stamp, _parsed(path))

    def _files(self) -> Iterator[tuple[Path, tuple[int, int]]]:
        for path in sorted(self.folder.glob("*.json")):
            try:
                about = path.stat()
            except OSError:
                continue  # it went meanwhile
            yield path, (about.st_mtime_ns, about.st_size)


def _parsed(path: Path) -> Manifest | str:
    problem = ""
    try:
        content = path.read_bytes() if path.stat().st_size <= LARGEST_FILE else b""
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        problem = f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}"
    except OSError as error:
        problem = str(error)
    else:
        if manifest.name == path.stem:
            return manifest
        problem = f"the manifest is named {manifest.name}"
    log.warning("manifest_not_loaded", file=path.name, reason=problem)
    return problem
