"""Plays the life of a batch and of a tuning job through the PyPI library; prints what came as one line of JSON."""

import json
import sys

import openai

base_url = sys.argv[1]
client = openai.OpenAI(api_key="unused", base_url=base_url, default_headers={"x-gateway-virtual-key": "vertex"}, max_retries=0)

row = {
    "custom_id": "py-1",
    "method": "POST",
    "url": "/v1/chat/completions",
    "body": {"model": "gemini-2.5-flash", "messages": [{"role": "user", "content": "Grüße"}]},
}
upload = client.files.create(file=("in.jsonl", (json.dumps(row) + "\n").encode()), purpose="batch")
batch = client.batches.create(
    input_file_id=upload.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"team": "Straße 7"}
)
statuses = [batch.status]
for _ in range(5):
    batch = client.batches.retrieve(batch.id)
    statuses.append(batch.status)
    if batch.status == "completed":
        break
lines = [json.loads(line) for line in client.files.content(batch.output_file_id).text.splitlines()]

second = client.batches.create(input_file_id=upload.id, endpoint="/v1/chat/completions", completion_window="24h")
cancelled = client.batches.cancel(second.id)
try:
    client.batches.cancel(batch.id)
    refused = None
except openai.BadRequestError as error:
    refused = error.code

example = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}
training = client.files.create(file=("train.jsonl", (json.dumps(example) + "\n").encode()), purpose="fine-tune")
job = client.fine_tuning.jobs.create(model="gemini-2.5-flash", training_file=training.id)
job_statuses = [job.status]
for _ in range(5):
    job = client.fine_tuning.jobs.retrieve(job.id)
    job_statuses.append(job.status)
    if job.status == "succeeded":
        break

print(
    json.dumps(
        {
            "file": [upload.purpose, upload.status, client.files.retrieve(upload.id).id == upload.id],
            "statuses": statuses,
            "metadata": batch.metadata,
            "counts": [batch.request_counts.total, batch.request_counts.completed, batch.request_counts.failed],
            "line": [lines[0]["custom_id"], lines[0]["response"]["body"]["choices"][0]["message"]["content"]],
            "cancelled": cancelled.status,
            "refused": refused,
            "batches": [one.id for one in client.batches.list(limit=1)] == [second.id, batch.id],
            "jobStatuses": job_statuses,
            "model": job.fine_tuned_model,
            "checkpoints": [one.step_number for one in client.fine_tuning.jobs.checkpoints.list(job.id, limit=2)],
            "events": len(client.fine_tuning.jobs.list_events(job.id).data),
            "deleted": client.files.delete(upload.id).deleted,
        }
    )
)
