"""Reads exports as the official definitions have them, and names what the semantic conventions do not know.

Lines of JSON on standard input: {"signal": "traces" | "logs", "payload": {...}}. One JSON object comes back.
"""
import base64
import importlib
import json
import pkgutil
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.semconv import attributes as stable
from opentelemetry.semconv._incubating import attributes as incubating
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv.schemas import Schemas

ids = {"traceId", "spanId", "parentSpanId"}


def with_base64(value):
    """OTLP writes ids in hex where JSON of protobuf has base64."""
    if isinstance(value, list):
        return [with_base64(each) for each in value]
    if isinstance(value, dict):
        return {
            key: base64.b64encode(bytes.fromhex(each)).decode() if key in ids else with_base64(each)
            for key, each in value.items()
        }
    return value


known = {
    text
    for package in (stable, incubating)
    for module in pkgutil.iter_modules(package.__path__)
    for text in vars(importlib.import_module(f"{package.__name__}.{module.name}")).values()
    if isinstance(text, str)
}

out = {
    "spans": [],
    "logs": [],
    "unknown": set(),
    "operations": [each.value for each in gen_ai.GenAiOperationNameValues],
    "providers": [each.value for each in gen_ai.GenAiProviderNameValues],
    "schemas": [each.value for each in Schemas],
}


def look(attributes):
    for pair in attributes:
        if not pair.key.startswith("gateway.") and pair.key not in known:
            out["unknown"].add(pair.key)


for line in sys.stdin:
    read = json.loads(line)
    kind = ExportTraceServiceRequest if read["signal"] == "traces" else ExportLogsServiceRequest
    # Strict: an unknown member or a value of the wrong type is an error.
    message = json_format.ParseDict(with_base64(read["payload"]), kind(), ignore_unknown_fields=False)
    for resource in getattr(message, "resource_spans", None) or getattr(message, "resource_logs", []):
        look(resource.resource.attributes)
        for scope in getattr(resource, "scope_spans", None) or getattr(resource, "scope_logs", []):
            for span in getattr(scope, "spans", []):
                look(span.attributes)
                out["spans"].append([span.name, span.trace_id.hex(), len(span.span_id), span.kind, span.end_time_unix_nano - span.start_time_unix_nano])
            for log in getattr(scope, "log_records", []):
                look(log.attributes)
                out["logs"].append([log.severity_number, log.event_name, log.trace_id.hex(), log.time_unix_nano])

out["unknown"] = sorted(out["unknown"])
print(json.dumps(out))
