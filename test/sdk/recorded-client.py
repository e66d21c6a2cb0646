"""PyPI openai: reads recorded answers directly and through the gateway, and names those that differ.

Argument: the gateway's key. Input: a list of {id, api, body, direct, gateway, config} as JSON.
"""

import json
import sys

from openai import DefaultHttpxClient, OpenAI

api_key = sys.argv[1]


def send(client, api, body):
    if api == "responses":
        return client.responses.create(stream=body.get("stream", False), extra_body=body)
    model = body["model"]
    if api == "chat.completions":
        return client.chat.completions.create(
            model=model, messages=body["messages"], stream=body.get("stream", False), extra_body=body
        )
    if api == "completions":
        return client.completions.create(
            model=model, prompt=body["prompt"], stream=body.get("stream", False), extra_body=body
        )
    if api == "embeddings":
        return client.embeddings.create(model=model, input=body["input"], extra_body=body)
    return client.images.generate(model=model, prompt=body["prompt"], extra_body=body)


def read(client, api, body):
    """Everything that the library gives its user, as text."""
    items = []
    try:
        given = send(client, api, body)
        if not body.get("stream"):
            return given.model_dump_json()
        for item in given:
            items.append(item.model_dump_json())
    except Exception as error:  # has to be the same both ways, too
        items.append(f"thrown: {error!r}")
    return "\n".join(items)


def connect(base_url, key, headers):
    return OpenAI(base_url=base_url, api_key=key, max_retries=0, default_headers=headers, http_client=connections)


connections = DefaultHttpxClient()
different, thrown = [], []
jobs = json.load(sys.stdin)
for job in jobs:
    direct = read(connect(job["direct"], "sk-direct", {}), job["api"], job["body"])
    through = read(
        connect(job["gateway"], api_key, {"x-gateway-config": job["config"]}), job["api"], job["body"]
    )
    if "thrown: " in direct:
        thrown.append(f"{job['id']}: {direct[-300:]}")
    if direct != through:
        different.append(f"{job['id']}: {through[:300]}, not {direct[:300]}")
print(json.dumps({"read": len(jobs), "different": different, "thrown": thrown}))
