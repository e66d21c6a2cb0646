"""Two turns with a tool through PyPI openai, thinking shown. Arguments: base URL, key. Prints the second answer."""

import json
import sys

from openai import OpenAI

base_url, api_key = sys.argv[1:3]
client = OpenAI(base_url=base_url, api_key=api_key, default_headers={"x-gateway-strict-compliance": "false"})
tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
messages = [{"role": "user", "content": "Oslo?"}]
first = client.chat.completions.create(model="@claude/m-text", messages=messages, tools=tools).choices[0].message
messages.append(first.model_dump())
messages.append({"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "-4"})
second = client.chat.completions.create(model="@claude/m-text", messages=messages, tools=tools)
print(json.dumps({"first": first.model_dump(), "second": second.choices[0].message.content}))
