"""PyPI portkey-ai, changed only in base URL and key. Arguments: base URL, key. Prints what it got as one line of JSON."""

import asyncio
import json
import sys

from portkey_ai import AsyncPortkey, Portkey

base_url, api_key = sys.argv[1:3]
client = Portkey(base_url=base_url, api_key=api_key)
variables = {"product": "Kite", "question": 'say "hi"\n'}


def text_of(stream):
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


async def in_parallel():
    other = AsyncPortkey(base_url=base_url, api_key=api_key)
    whole = await other.prompts.completions.create(prompt_id="welcome", variables=variables)
    text = ""
    async for chunk in await other.prompts.completions.create(prompt_id="welcome", variables=variables, stream=True):
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    return [whole.choices[0].message.content, text]


def refused():
    try:
        client.prompts.completions.create(prompt_id="welcom", variables={})
    except Exception as error:
        return [type(error).__name__, error.status_code, str(error)]
    return "no error"


whole = client.prompts.completions.create(prompt_id="welcome", variables=variables, temperature=0.7, max_tokens=5)
rendered = client.prompts.render(prompt_id="welcome@canary", variables=variables, temperature=0.7)
print(
    json.dumps(
        {
            "whole": whole.choices[0].message.content,
            "stream": text_of(client.prompts.completions.create(prompt_id="welcome@production", variables=variables, stream=True)),
            "rendered": [rendered.success, rendered.data.model, rendered.data.messages[0].content, rendered.data.temperature],
            "async": asyncio.run(in_parallel()),
            "refused": refused(),
        }
    )
)
