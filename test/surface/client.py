"""PyPI openai, changed only in base URL and headers. Reads the surfaces as JSON from standard input, prints the reports."""

import base64
import json
import sys

import httpx
from openai import APIStatusError, OpenAI

SOUND = base64.b64decode("//uQAMMoDQoAAQ==")
LOOKS = [0, 1, 2, 3]


def told(step):
    try:
        return step()
    except APIStatusError as error:
        return {"thrown": {"status": error.status_code, "code": error.code, "param": error.param}}
    except Exception as error:  # noqa: BLE001 - whatever it is, the report shows it
        return {"thrown": f"{type(error).__name__}: {error}"}


def client_of(surface, headers):
    return OpenAI(base_url=surface["baseUrl"], api_key="dummy", default_headers=headers, max_retries=0, timeout=60)


def object_steps(surface):
    client = client_of(surface, surface["headers"])
    bare = client_of(surface, {})
    jobs = client.fine_tuning.jobs

    def create(metadata, file="file-in"):
        return client.batches.create(
            input_file_id=file, endpoint="/v1/chat/completions", completion_window="24h", metadata=metadata
        )

    def aged(count, metadata=None):
        batch = create(metadata or {"team": "a"})
        for _ in range(count):
            batch = client.batches.retrieve(batch.id)
        return batch

    def train(metadata=None):
        return jobs.create(model="m-2025", training_file="file-train", metadata=metadata or {"team": "a"})

    def aged_job(count, metadata=None):
        job = train(metadata)
        for _ in range(count):
            job = jobs.retrieve(job.id)
        return job

    def raw(path, **params):
        return client.get(path, cast_to=httpx.Response, options={"params": params})

    def output(batch_id):
        response = raw(f"/batches/{batch_id}/output")
        return [response.text, response.headers["content-type"], "x-gateway-warnings" in response.headers]

    def batch_life():
        first = batch = create({"team": "a"})
        statuses = [first.status]
        for _ in range(4):
            batch = client.batches.retrieve(batch.id)
            statuses.append(batch.status)
        return {
            "statuses": statuses,
            "endpoint": batch.endpoint,
            "times": [batch.created_at, batch.in_progress_at, batch.expires_at],
            "counts": [first.request_counts.total, batch.request_counts.total],
            "metadata": batch.metadata,
        }

    def batch_cancel_twice():
        batch = create({"team": "a"})
        seen = [client.batches.cancel(batch.id).status, client.batches.cancel(batch.id).status]
        seen += [client.batches.retrieve(batch.id).status for _ in range(2)]
        return [*seen, told(lambda: client.batches.cancel(batch.id).status)]

    def batch_failed():
        batch = aged(2, {"fate": "fails"})
        return [batch.status, [each.line for each in batch.errors.data], told(lambda: client.batches.cancel(batch.id))]

    def batch_pages():
        made = [create({"team": "a"}).id for _ in range(7)]
        ids = [batch.id for batch in client.batches.list(limit=3)]
        keys = sorted(raw("/batches", limit=2).json())
        return {"newest": ids[:7] == made[::-1], "each": len(set(ids)) == len(ids), "keys": keys}

    def job_life():
        job = train()
        statuses = [job.status]
        for _ in range(4):
            job = jobs.retrieve(job.id)
            statuses.append(job.status)
        return {
            "statuses": statuses,
            "model": [job.model, job.fine_tuned_model],
            "organization": job.organization_id,
            "created": job.created_at,
        }

    def job_failed():
        job = aged_job(2, {"fate": "fails"})
        return [job.status, job.error.code]

    def job_listed():
        job = train()
        return jobs.list(limit=2).data[0].id == job.id

    def events():
        levels = [event.level for event in jobs.list_events(train().id, limit=10)]
        return [len(levels), sorted(set(levels))]

    def checkpoints_usual():
        page = raw(f"/fine_tuning/jobs/{aged_job(4).id}/checkpoints").json()
        return [len(page["data"]), page["has_more"], page["first_id"], page["last_id"]]

    def files():
        text = '{"custom_id":"ü"}\n'
        made = client.files.create(purpose="batch", file=("in.jsonl", text.encode()))
        found = client.files.retrieve(made.id).id == made.id
        content = client.files.content(made.id).text == text
        gone = client.files.delete(made.id)
        missing = told(lambda: client.files.retrieve(made.id).id)
        return [made.filename, made.purpose, made.status, found, content, [gone.deleted, gone.object], missing]

    def file_batch():
        body = {"model": surface["lineModel"], "seed": 1}
        line = {"custom_id": "r-1", "method": "POST", "url": "/v1/chat/completions", "body": body}
        made = client.files.create(purpose="batch", file=("in.jsonl", (json.dumps(line) + "\n").encode()))
        return [create({}, made.id).status]

    return {
        "batch_life": batch_life,
        "batch_cancel": lambda: [told(lambda n=n: [client.batches.cancel(aged(n).id).status]) for n in LOOKS],
        "batch_cancel_twice": batch_cancel_twice,
        "batch_failed": batch_failed,
        "batch_unknown": lambda: client.batches.retrieve("batch_x").id,
        "batch_unknown_cancel": lambda: client.batches.cancel("batch_x").id,
        "batch_unknown_file": lambda: create({}, "file-x").id,
        "batch_pages": batch_pages,
        "batch_limit": lambda: raw("/batches", limit=101).text,
        "batch_many_pairs": lambda: create({f"k{i}": "v" for i in range(17)}).id,
        "batch_long_key": lambda: create({"k" * 65: "v"}).id,
        "batch_long_value": lambda: create({"k": "ü" * 513}).id,
        "output": lambda: output(aged(4).id),
        "output_of_errors": lambda: output(aged(4, {"fate": "errs"}).id),
        "output_too_early": lambda: output(aged(1).id),
        "output_of_failed": lambda: output(aged(2, {"fate": "fails"}).id),
        "output_unknown": lambda: output("batch_x"),
        "job_life": job_life,
        "job_cancel": lambda: [told(lambda n=n: [jobs.cancel(aged_job(n).id).status]) for n in LOOKS],
        "job_failed": job_failed,
        "job_unknown": lambda: jobs.retrieve("ftjob-x").id,
        "job_metadata": lambda: train({"k": "v" * 513}).id,
        "job_listed": job_listed,
        "events": events,
        "checkpoints_none": lambda: raw(f"/fine_tuning/jobs/{train().id}/checkpoints").json(),
        "checkpoints_usual": checkpoints_usual,
        "checkpoints_all": lambda: [each.step_number for each in jobs.checkpoints.list(aged_job(4).id, limit=5)],
        "no_virtual_key": lambda: [
            told(lambda: bare.batches.list().data),
            told(lambda: bare.fine_tuning.jobs.cancel("ftjob-1").id),
        ],
        "files": files,
        "file_batch": file_batch,
        "file_unknown_content": lambda: client.files.content("file-x").text,
        "file_purpose": lambda: client.files.create(purpose="vision", file=("x.png", b"x")).id,
    }


def media_steps(surface):
    client = client_of(surface, surface["headers"])
    model = surface["mediaModel"]
    file = ("a.mp3", SOUND)
    said = {"model": model, "voice": "alloy", "input": "Grüße"}
    transcripts = client.audio.transcriptions

    def speech_events():
        text = client.audio.speech.create(**said, stream_format="sse").content.decode()
        lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
        return [json.loads(line)["type"] for line in lines]

    return {
        "speech": lambda: base64.b64encode(client.audio.speech.create(**said).content).decode(),
        "speech_events": speech_events,
        "transcript": lambda: transcripts.create(model=model, file=file).text,
        "transcript_text": lambda: transcripts.create(model=model, file=file, response_format="text"),
        "transcript_subtitles": lambda: transcripts.create(model=model, file=file, response_format="srt"),
        "transcript_events": lambda: [event.type for event in transcripts.create(model=model, file=file, stream=True)],
        "translation": lambda: client.audio.translations.create(model=model, file=file).text,
        "image_edit": lambda: client.images.edit(model=model, image=file, prompt="a frog").data[0].b64_json,
        "image_variation": lambda: client.images.create_variation(model=model, image=file).data[0].b64_json,
    }


reports = {}
for each in json.load(sys.stdin):
    steps = {**object_steps(each), **media_steps(each)}
    reports[each["name"]] = {name: told(step) for name, step in steps.items()}
print(json.dumps(reports))
