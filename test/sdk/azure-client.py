"""PyPI openai, AzureOpenAI: one call for each route. Arguments: key, a list of options as JSON."""

import io
import json
import sys

from openai import AzureOpenAI

api_key, ways = sys.argv[1:3]
messages = [{"role": "user", "content": "hi"}]


def upload(name):
    file = io.BytesIO(b"RIFF")
    file.name = name
    return file


calls = {
    "chat": lambda c, m: c.chat.completions.create(model=m, messages=messages),
    "completions": lambda c, m: c.completions.create(model=m, prompt="hi"),
    "embeddings": lambda c, m: c.embeddings.create(model=m, input="hi"),
    "images.generate": lambda c, m: c.images.generate(model=m, prompt="a frog"),
    "images.edit": lambda c, m: c.images.edit(model=m, prompt="a frog", image=upload("a.png")),
    "audio.speech": lambda c, m: c.audio.speech.create(model=m, input="hi", voice="alloy"),
    "audio.transcriptions": lambda c, m: c.audio.transcriptions.create(model=m, file=upload("a.wav")),
    "audio.translations": lambda c, m: c.audio.translations.create(model=m, file=upload("a.wav")),
    "responses": lambda c, m: c.responses.create(model=m, input="hi"),
    "files.create": lambda c, m: c.files.create(file=upload("a.jsonl"), purpose="assistants"),
    "files.list": lambda c, m: c.files.list(),
}


def attempt(call, options, model):
    try:
        call(AzureOpenAI(api_key=api_key, max_retries=0, **options), model)
        return ""
    except Exception as error:  # whatever it is, the test has to see it
        return repr(error)


print(json.dumps([[attempt(call, way["options"], way["model"]) for call in calls.values()] for way in json.loads(ways)]))
