"""PyPI anthropic, changed only in base URL and key. Arguments: base URL, key. Prints what its user sees as one line of JSON."""

import json
import sys

import anthropic

base_url, api_key = sys.argv[1:3]
client = anthropic.Anthropic(base_url=base_url, api_key=api_key, max_retries=0)
ask = {"max_tokens": 64, "messages": [{"role": "user", "content": "hi"}]}


def seen(error):
    return {
        "class": type(error).__name__,
        "status": getattr(error, "status_code", None),
        "request_id": getattr(error, "request_id", None),
        "text": str(error),
    }


def thrown(work):
    try:
        work()
    except anthropic.APIError as error:
        return seen(error)
    return None


def streamed(model):
    texts = []
    with client.messages.stream(model=model, **ask) as stream:
        for text in stream.text_stream:
            texts.append(text)
        return {"texts": "".join(texts), "message": stream.get_final_message().to_dict()}


def aborted():
    with client.messages.stream(model="@claude/m-endless", **ask) as stream:
        for text in stream.text_stream:
            return text


report = {
    "whole": client.messages.create(model="@claude/m-text", **ask).to_dict(),
    "stream": streamed("@claude/m-text"),
    "count": client.messages.count_tokens(model="@claude/m-text", messages=ask["messages"]).input_tokens,
    "limit": thrown(lambda: client.messages.create(model="@claude/m-limit", **ask)),
    "refuse": thrown(lambda: client.messages.create(model="@claude/m-refuse", **ask)),
    "unknown": thrown(lambda: client.messages.create(model="@nobody/m", **ask)),
    "breaks": thrown(lambda: streamed("@claude/m-breaks")),
    "cut": thrown(lambda: streamed("@claude/m-cut")),
    "key": thrown(lambda: anthropic.Anthropic(base_url=base_url, api_key="wrong-key-0123456789", max_retries=0).messages.create(model="@claude/m-text", **ask)),
    "aborted": aborted(),
}
print(json.dumps(report))
