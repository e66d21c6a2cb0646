"""PyPI anthropic: what it makes of messages, streamed and whole.

Input: a list of {stream, whole} as JSON, of which either may be null. Prints a list of {stream, whole}: the messages as
its user has them, as one line of JSON.
"""

import json
import sys

import anthropic
import httpx2 as httpx

jobs = json.load(sys.stdin)


def serve(request):
    body = json.loads(request.content)
    job = jobs[int(body["model"])]
    if body.get("stream"):
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=job["stream"].encode())
    return httpx.Response(200, headers={"content-type": "application/json"}, content=job["whole"].encode())


client = anthropic.Anthropic(
    base_url="http://gateway.test",
    api_key="none",
    max_retries=0,
    http_client=anthropic.DefaultHttpxClient(transport=httpx.MockTransport(serve)),
)


def read(index, job):
    ask = {"model": str(index), "max_tokens": 100, "messages": [{"role": "user", "content": "x"}]}
    made = {"stream": None, "whole": None}
    if job["whole"] is not None:
        made["whole"] = client.messages.create(**ask).model_dump(mode="json")
    if job["stream"] is not None:
        with client.messages.stream(**ask) as stream:
            made["stream"] = stream.get_final_message().model_dump(mode="json")
    return made


print(json.dumps([read(index, job) for index, job in enumerate(jobs)]))
