"""PyPI portkey-ai, changed only in base URL and key. Arguments: base URL, key, a file's bytes in base64."""

import base64
import sys

from portkey_ai import Portkey

import report

base_url, api_key, file_base64 = sys.argv[1:4]


def portkey(**more):
    return Portkey(**{"base_url": base_url, "api_key": api_key, **more})


client = portkey()
messages = [{"role": "user", "content": "hi"}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "Tells the weather.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]


def chat(model, using=client, **more):
    return using.chat.completions.create(model=model, messages=messages, **more)


steps = {
    "chat": lambda: report.chat_report(chat("m-text")),
    "chat_stream": lambda: report.stream_report(chat("m-text", stream=True, stream_options={"include_usage": True})),
    "tools": lambda: report.tool_report(chat("m-tools", tools=tools)),
    "tools_stream": lambda: report.tool_stream_report(chat("m-tools", tools=tools, stream=True)),
    "embeddings": lambda: client.embeddings.create(model="m-embed", input="hi", encoding_format="float").data[0].embedding,
    "image": lambda: client.images.generate(model="m-image", prompt="a frog").data[0].b64_json,
    "moderation": lambda: client.moderations.create(model="m-mod", input="hi").results[0].flagged,
    "response": lambda: client.responses.create(model="m-text", input="hi").output_text,
    "response_stream": lambda: report.response_stream_report(
        client.responses.create(model="m-text", input="hi", stream=True)
    ),
    "models": lambda: [model.id for model in client.models.list().data],
    "provider_models": lambda: [model.id for model in portkey(provider="@main").models.list().data],
    "file_create": lambda: client.files.create(
        file=("bytes.bin", base64.b64decode(file_base64)), purpose="batch"
    ).id,
    "file_list": lambda: [file.id for file in client.files.list(limit=5).data],
    "error": lambda: chat("m-refuse"),
    "wrong_key": lambda: chat("m-text", portkey(api_key="not-a-key-of-this-gateway")),
    "rate_limit": lambda: chat("m-limit"),
    "all_failed": lambda: chat("m-down", portkey(config="broken")),
    "target_timeout": lambda: chat("m-silent", portkey(request_timeout=100)),
    "broken_stream": lambda: report.stream_report(chat("m-breaks", stream=True)),
    "abort": lambda: report.abort_report(chat("m-endless", stream=True)),
    "client_timeout": lambda: chat("m-silent", timeout=0.3),
}

report.run(steps)
