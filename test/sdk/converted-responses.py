"""PyPI openai and anthropic: validates converted responses against the types of the libraries, and lists what they reject.

Input: a list of {id, format, whole, events} as JSON. The libraries themselves accept any response, but those for other
languages, which are made from the same description of the API, reject a response without a required member.
"""

import json
import sys

from anthropic.types import Message, RawMessageStreamEvent
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter, ValidationError

types = {
    "openai": (TypeAdapter(ChatCompletion), TypeAdapter(ChatCompletionChunk)),
    "responses": (TypeAdapter(Response), TypeAdapter(ResponseStreamEvent)),
    "messages": (TypeAdapter(Message), TypeAdapter(RawMessageStreamEvent)),
}


def problem(adapter, value):
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        # Of a union, the alternative that fits best has its problem deepest.
        deepest = max(error.errors(), key=lambda one: len(one["loc"]))
        return ".".join(str(part) for part in deepest["loc"]) + f": {deepest['msg']}"


read, rejected = 0, []
for job in json.load(sys.stdin):
    whole, event = types[job["format"]]
    values = [(whole, job["whole"]), *((event, one) for one in job["events"])]
    read += len(values)
    found = {problem(adapter, value) for adapter, value in values} - {None}
    rejected.extend(f"{job['id']} as {job['format']}: {text}" for text in sorted(found))
print(json.dumps({"read": read, "rejected": rejected}))
