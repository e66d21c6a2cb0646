"""The life of a batch through PyPI openai. Arguments: base URL, key, then what the test does in between is awaited on stdin. Prints one line of JSON."""

import json
import sys

import openai

base_url, api_key = sys.argv[1:3]
client = openai.OpenAI(base_url=base_url, api_key=api_key, max_retries=0, default_headers={"x-gateway-virtual-key": "vk"})
line = {
    "custom_id": "py-1",
    "method": "POST",
    "url": "/v1/chat/completions",
    "body": {"model": "claude-m", "messages": [{"role": "user", "content": "Hi"}]},
}


def finish():
    print("finish", flush=True)
    sys.stdin.readline()


def thrown(work):
    try:
        work()
    except openai.APIStatusError as error:
        return {"status": error.status_code, "class": type(error).__name__, "body": error.body}
    return None


made = client.batches.create(
    input_file_id=None,
    endpoint="/v1/chat/completions",
    completion_window="24h",
    extra_body={"requests": [line, {**line, "custom_id": "py-2", "body": {**line["body"], "model": "claude-bad"}}]},
)
early = thrown(lambda: client.files.content(f"{made.id}-output"))
uploaded = client.files.create(file=("in.jsonl", json.dumps(line).encode()), purpose="batch")
refused = thrown(lambda: client.batches.create(input_file_id=uploaded.id, endpoint="/v1/chat/completions", completion_window="24h"))
finish()
done = client.batches.retrieve(made.id)
content = client.files.content(done.output_file_id)
report = {
    "made": made.model_dump(),
    "early": early,
    "uploaded": uploaded.model_dump(),
    "refused": refused,
    "done": done.model_dump(),
    "lines": [json.loads(text) for text in content.text.splitlines()],
    "listed": [batch.id for batch in client.batches.list(limit=2)],
    "files": [file.filename for file in client.files.list(limit=1)],
    "unknown": thrown(lambda: client.batches.retrieve("msgbatch_none")),
}
print(json.dumps(report))
