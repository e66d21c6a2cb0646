"""Runs SQL on an embedded ClickHouse: a file of JSON `{"schema", "lines", "queries"}`, prints the rows of each query."""
import json
import sys

from chdb import session

with open(sys.argv[1], encoding="utf-8") as file:
    work = json.load(file)
log = session.Session(sys.argv[2])
log.query("CREATE DATABASE logs ENGINE = Atomic")
log.query("USE logs")
log.query(work["schema"])
for path in work["lines"]:
    log.query(f"INSERT INTO gateway_requests (record) SELECT line FROM file('{path}', 'LineAsString', 'line String')")
results = []
for query in work["queries"]:
    text = str(log.query(query, "JSONEachRow"))
    results.append([json.loads(line) for line in text.split("\n") if line.strip()])
print(json.dumps(results))
