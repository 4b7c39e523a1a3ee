"""The published Minds API as a stranger would write it from its documents: documented fields only, in either dialect.

It shares nothing with the gateway or the embedded API, so that neither can lean on what the other adds. State is kept
in today's words; `spoken` and `heard` stand between it and a network that may speak the older ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

NOW = "2026-11-20T09:00:00.000Z"
OLDER = {
    "minds": "sparks",
    "mindId": "sparkId",
    "mindIds": "sparkIds",
    "mindName": "sparkName",
    "mindCount": "sparkCount",
    "audience": "group",
    "audiences": "groups",
    "audienceId": "groupId",
    "audienceIds": "groupIds",
    "audienceName": "groupName",
    "audienceConfigs": "groupConfigs",
    "studyMode": "flowMode",
    "training": "processing",
}
KINDS: Mapping[str, Mapping[str, Any]] = {
    "scale of 1 to 10": {"type": "scale", "scaleRange": [1, 10]},
    "pick up to": {"type": "multiselect", "options": ["Locks", "Batteries", "App", "Stations"]},
    "which of": {"type": "categorical", "options": ["Price", "Reliability", "Safety"]},
}
QUALITATIVE = {"type": "qualitative", "responseMode": "standard"}


class Refused(Exception):
    """An answer of 400 and above. `data` is what the envelope carries."""

    def __init__(self, status: int, said: str, **data: Any) -> None:
        super().__init__(said)
        self.status, self.data = status, data


def renamed(body: Any, names: Mapping[str, str]) -> Any:
    if isinstance(body, dict):
        return {names.get(key, key): renamed(value, names) for key, value in body.items()}
    return [renamed(each, names) for each in body] if isinstance(body, list) else body


def understood(question: str) -> Mapping[str, Any]:
    return next((kind for words, kind in KINDS.items() if words in question.lower()), QUALITATIVE)


class Published:
    """Everything that one account has."""

    def __init__(self) -> None:
        self.minds: dict[str, dict[str, Any]] = {}
        self.audiences: dict[str, dict[str, Any]] = {}
        self.studies: dict[str, dict[str, Any]] = {}
        self.looks: dict[str, int] = {}

    def create_mind(self, body: Mapping[str, Any]) -> dict[str, Any]:
        name = str(body.get("name", ""))
        if not 2 <= len(name) <= 100 or not body.get("discipline"):
            raise Refused(400, "Name and discipline are required")
        identity = str(uuid4())
        mind = {
            "id": identity,
            "name": name,
            "description": body.get("description", "Created via API"),
            "type": body.get("type", "expert"),
            "discipline": body["discipline"],
            "sourcePolicy": "auto",
            "tags": [],
            "profileImageUrl": None,
            "createdAt": NOW,
            "updatedAt": NOW,
        }
        self.minds[identity] = mind
        return mind

    def training(self, mind_id: str) -> dict[str, Any]:
        """Running at the first look, and completed from then on."""
        self.mind(mind_id)
        self.looks[mind_id] = self.looks.get(mind_id, 0) + 1
        done = self.is_trained(mind_id)
        status = "completed" if done else "running"
        times = {"startedAt": NOW, "completedAt": NOW if done else None}
        return {"status": status, "readyToChat": done, "message": None, **times}

    def is_trained(self, mind_id: str) -> bool:
        return self.looks.get(mind_id, 0) > 1

    def detail(self, mind_id: str) -> dict[str, Any]:
        """What an owner sees, which each look at an older API brings nearer to being trained."""
        self.training(mind_id)
        prompt = "You ride bicycles." if self.is_trained(mind_id) else ""
        return {**self.mind(mind_id), "systemPrompt": prompt, "isPublic": False, "isLinkSharingEnabled": False}

    def mind(self, mind_id: str) -> dict[str, Any]:
        return _one(self.minds, mind_id)

    def create_audience(self, name: Any, mind_ids: Any) -> dict[str, Any]:
        if not isinstance(name, str) or not name.strip():
            raise Refused(400, "Name is required")
        members = [self.mind(each) for each in dict.fromkeys(mind_ids)]
        short = [{key: mind[key] for key in ("id", "name", "discipline", "profileImageUrl")} for mind in members]
        made: dict[str, Any] = {
            "id": str(uuid4()),
            "name": name.strip(),
            "mindCount": len(short),
            "minds": short,
            "createdAt": NOW,
        }
        self.audiences[made["id"]] = made
        return made

    def create_study(self, body: Mapping[str, Any]) -> dict[str, Any]:
        attached = [_one(self.audiences, each) for each in body.get("audienceIds") or []]
        made = [self.create_audience(one["name"], one["mindIds"]) for one in body.get("audienceConfigs") or []]
        study = {
            "id": str(uuid4()),
            "name": body["name"],
            "studyMode": "study",
            "createdAt": NOW,
            "updatedAt": NOW,
            "isLinkSharingEnabled": False,
            "publicShareId": None,
            "audiences": [{key: one[key] for key in ("id", "name", "minds")} for one in (*attached, *made)],
            "messages": [],
        }
        self.studies[study["id"]] = study
        return study

    def study(self, study_id: str) -> dict[str, Any]:
        return _one(self.studies, study_id)

    def ask(self, study_id: str, body: Mapping[str, Any], now: str) -> Iterator[dict[str, Any]]:
        """The six documented events. The transcript holds question and answers before the last one."""
        study, question = self.study(study_id), str(body.get("question", ""))
        wanted = body.get("audienceIds") or [one["id"] for one in study["audiences"]]
        asked = [one for one in study["audiences"] if one["id"] in wanted]
        if not question or not asked:
            raise Refused(400, "Question and audiences are required")
        study["messages"].append(_message("user", question, {}, now))
        return self._events(study, question, asked, now)

    def _events(
        self, study: dict[str, Any], question: str, asked: list[dict[str, Any]], now: str
    ) -> Iterator[dict[str, Any]]:
        kind = understood(question)
        yield {"type": "start", "total": sum(len(one["minds"]) for one in asked)}
        yield {"type": "classification", "classification": dict(kind)}
        told = []
        for audience in asked:
            answers = [_answer(mind, number, kind) for number, mind in enumerate(audience["minds"])]
            told.append({"audience": audience["name"], "value": answers[0]["value"], "answers": answers})
            for mind, answer in zip(audience["minds"], answers, strict=True):
                whose = {"mindId": mind["id"], "mindName": mind["name"], "discipline": mind["discipline"]}
                where = {"audienceId": audience["id"], "audienceName": audience["name"]}
                yield {"type": "answer", **whose, "profileImageUrl": None, **where, "answer": answer}
        yield {"type": "aggregating"}
        output = {"title": question, "type": kind["type"], "classification": dict(kind), "audiences": told}
        study["messages"].append(_message("assistant", "Done", {"outputData": output}, now))
        yield {"type": "result", "outputData": output, "outputType": "bar"}
        yield {"type": "done"}


def _one(kept: Mapping[str, dict[str, Any]], wanted: Any) -> dict[str, Any]:
    if wanted not in kept:
        raise Refused(404, "Not found")
    return kept[wanted]


def _message(role: str, content: str, metadata: dict[str, Any], now: str) -> dict[str, Any]:
    return {"id": uuid4().hex, "role": role, "content": content, "metadata": metadata, "createdAt": now}


def _answer(mind: Mapping[str, Any], number: int, kind: Mapping[str, Any]) -> dict[str, Any]:
    options: Sequence[str] = kind.get("options", ())
    match kind["type"]:
        case "scale":
            value, raw = str(4 + number), f"{4 + number}/10"
        case "categorical":
            value = raw = options[number % len(options)]
        case "multiselect":
            value = raw = f"{options[0]}, {options[1 + number % 3]}"
        case _:
            value = raw = ("Cheaper rides", "Better locks")[number % 2]
    return {
        "value": value,
        "rawValue": raw,
        "persona": mind["name"],
        "discipline": mind["discipline"],
        "message": f"I say {raw}, because the bicycle hire service is part of my week.",
        "imageUrl": None,
        "reliabilityScore": 84,
        "citationSources": [],
        "answerProvenance": {"origin": "mind_personality"},
    }
