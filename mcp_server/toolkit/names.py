"""Which of the caller's objects is meant by a name that a person or a model wrote."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from mcp_server.errors import Ambiguous, NotFound
from mcp_server.toolkit.matching import Names

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a name stands for, in a sentence, and the tool that lists all there are."""

    noun: str
    listed_by: str


class Directory(Generic[T]):
    """Candidates that are looked up by name, several of them one after the other."""

    def __init__(
        self, kind: Kind, candidates: Sequence[T], *, name: Callable[[T], str], id: Callable[[T], str]
    ) -> None:
        self._kind, self._candidates, self._name, self._id = kind, candidates, name, id
        self._names = Names([name(candidate) for candidate in candidates])

    def meant(self, wanted: str) -> T:
        """The one candidate that `wanted` names.

        Raises:
            Ambiguous: several have that name; they are told apart by their ids.
            NotFound: none has, with the nearest names.

        """
        kind = self._kind
        resolution = self._names.resolve(wanted)
        found = [self._candidates[index] for index in resolution.indices]
        if resolution.outcome == "found":
            return found[0]
        if resolution.outcome == "ambiguous":
            named = [f"{self._name(candidate)} (id {self._id(candidate)})" for candidate in found]
            raise Ambiguous(kind.noun, wanted, named)
        closest = labels(found, name=self._name, id=self._id)
        raise NotFound(kind.noun, wanted, closest=closest, listed_by=kind.listed_by)


def meant(kind: Kind, wanted: str, candidates: Sequence[T], *, name: Callable[[T], str], id: Callable[[T], str]) -> T:
    """The one candidate that `wanted` names; see `Directory.meant`."""
    return Directory(kind, candidates, name=name, id=id).meant(wanted)


def labels(candidates: Sequence[T], *, name: Callable[[T], str], id: Callable[[T], str]) -> list[str]:
    """Their names; with the id where several share a name."""
    names = [name(candidate) for candidate in candidates]
    return [
        one if names.count(one) == 1 else f"{one} (id {id(candidate)})"
        for one, candidate in zip(names, candidates, strict=True)
    ]
