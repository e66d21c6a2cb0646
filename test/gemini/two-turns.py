"""Two turns of a tool conversation, streamed, with the openai library: base URL in, the second answer out as JSON."""

import json
import sys

from openai import OpenAI

client = OpenAI(base_url=sys.argv[1], api_key="unused", max_retries=0, default_headers={"x-gateway-strict-compliance": "false"})
ask = {
    "model": "@vertex-eu/gemini-3-flash",
    "tools": [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}],
}
messages = [{"role": "user", "content": "hi"}]

calls = {}
for chunk in client.chat.completions.create(messages=messages, stream=True, **ask):
    for choice in chunk.choices:
        for call in choice.delta.tool_calls or []:
            calls[call.index] = call.model_dump(exclude_none=True)

answers = [{"role": "tool", "tool_call_id": call["id"], "content": str(index)} for index, call in calls.items()]
messages += [{"role": "assistant", "tool_calls": [{key: value for key, value in call.items() if key != "index"} for call in calls.values()]}]
final = client.chat.completions.create(messages=messages + answers[::-1], stream=True, **ask)
text = "".join(choice.delta.content or "" for chunk in final for choice in chunk.choices)
print(json.dumps({"text": text, "calls": [call["function"]["arguments"] for call in calls.values()]}))
