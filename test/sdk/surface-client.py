"""PyPI portkey-ai: one call for each route. Arguments: key, a list of base URL and options as JSON, a folder for its files."""

import json
import os
import sys
import wave

from portkey_ai import Portkey

api_key, ways, folder = sys.argv[1:4]
messages = [{"role": "user", "content": "hi"}]
batch = {"input_file_id": "file-1", "endpoint": "/v1/chat/completions", "completion_window": "24h"}


def upload(name):
    """The library reads some files by their path, so they are real ones."""
    path = os.path.join(folder, name)
    if name.endswith(".wav"):
        with wave.open(path, "wb") as sound:
            sound.setparams((1, 2, 8000, 1, "NONE", ""))
            sound.writeframes(b"\0\0")
    else:
        with open(path, "wb") as file:
            file.write(b"{}\n")
    return open(path, "rb")


calls = {
    "chat": lambda c: c.chat.completions.create(model="m", messages=messages),
    "completions": lambda c: c.completions.create(model="m", prompt="hi"),
    "embeddings": lambda c: c.embeddings.create(model="m", input="hi"),
    "moderations": lambda c: c.moderations.create(model="m", input="hi"),
    "images.generate": lambda c: c.images.generate(model="m", prompt="a frog"),
    "images.edit": lambda c: c.images.edit(model="m", prompt="a frog", image=upload("a.png")),
    "images.variation": lambda c: c.images.create_variation(model="m", image=upload("a.png")),
    "audio.speech": lambda c: c.audio.speech.create(model="m", input="hi", voice="alloy"),
    "audio.transcriptions": lambda c: c.audio.transcriptions.create(model="m", file=upload("a.wav")),
    "audio.translations": lambda c: c.audio.translations.create(model="m", file=upload("a.wav")),
    "responses.create": lambda c: c.responses.create(model="m", input="hi"),
    "responses.retrieve": lambda c: c.responses.retrieve("resp_1"),
    "files.create": lambda c: c.files.create(file=upload("a.jsonl"), purpose="batch"),
    "files.list": lambda c: c.files.list(),
    "files.retrieve": lambda c: c.files.retrieve("file-1"),
    "files.content": lambda c: c.files.content("file-1"),
    "files.delete": lambda c: c.files.delete("file-1"),
    "batches.create": lambda c: c.batches.create(**batch),
    "batches.retrieve": lambda c: c.batches.retrieve("batch_1"),
    "batches.list": lambda c: c.batches.list(),
    "batches.cancel": lambda c: c.batches.cancel("batch_1"),
    "batches.output": lambda c: c.batches.output("batch_1"),
    "jobs.create": lambda c: c.fine_tuning.jobs.create(model="m", training_file="file-1"),
    "jobs.list": lambda c: c.fine_tuning.jobs.list(),
    "jobs.retrieve": lambda c: c.fine_tuning.jobs.retrieve("ftjob-1"),
    "jobs.cancel": lambda c: c.fine_tuning.jobs.cancel("ftjob-1"),
    "jobs.events": lambda c: c.fine_tuning.jobs.list_events("ftjob-1"),
    "jobs.checkpoints": lambda c: c.fine_tuning.jobs.checkpoints.list("ftjob-1"),
}


def attempt(name, call, base_url, options):
    try:
        call(Portkey(base_url=base_url, api_key=api_key, **options, metadata={"call": name}))
        return ""
    except Exception as error:  # whatever it is, the test has to see it
        return repr(error)


def run(way):
    return {name: attempt(name, call, way["base_url"], way["options"]) for name, call in calls.items()}


print(json.dumps([run(way) for way in json.loads(ways)]))
