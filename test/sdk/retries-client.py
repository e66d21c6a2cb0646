"""The libraries of PyPI as they come: one call for each task on standard input, as `library route model config`."""

import json
import sys

from anthropic import Anthropic
from openai import OpenAI

base_url, api_key = sys.argv[1:3]
messages = [{"role": "user", "content": "hi"}]
openai = OpenAI(base_url=base_url, api_key=api_key)
anthropic = Anthropic(base_url=base_url.removesuffix("/v1"), api_key=api_key)

routes = {
    "chat": lambda model, headers: openai.chat.completions.create(model=model, messages=messages, extra_headers=headers),
    "stream": lambda model, headers: openai.chat.completions.create(
        model=model, messages=messages, stream=True, extra_headers=headers
    ),
    "moderation": lambda model, headers: openai.moderations.create(model=model, input="hi", extra_headers=headers),
    "messages": lambda model, headers: anthropic.messages.create(
        model=model, messages=messages, max_tokens=9, extra_headers=headers
    ),
    "count": lambda model, headers: anthropic.messages.count_tokens(model=model, messages=messages, extra_headers=headers),
}

for task in json.load(sys.stdin):
    try:
        routes[task["route"]](task["model"], {**task["headers"], "x-gateway-trace-id": task["id"]})
    except Exception:
        pass
print("{}")
