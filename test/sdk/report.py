"""What the scripts of this folder share: running scenarios and telling what happened."""

import json


def chat_report(answer):
    choice = answer.choices[0]
    return [choice.message.content, choice.finish_reason, answer.usage.total_tokens]


def tool_report(answer):
    choice = answer.choices[0]
    call = choice.message.tool_calls[0]
    return [call.id, call.function.name, call.function.arguments, choice.finish_reason]


def stream_report(stream):
    text, finish, total = "", None, None
    for chunk in stream:
        if chunk.choices:
            text += chunk.choices[0].delta.content or ""
            finish = chunk.choices[0].finish_reason or finish
        if chunk.usage is not None:
            total = chunk.usage.total_tokens
    return [text, finish, total]


def tool_stream_report(stream):
    call_id, name, arguments, finish = None, None, "", None
    for chunk in stream:
        choice = chunk.choices[0]
        for call in choice.delta.tool_calls or []:
            call_id = call.id or call_id
            name = call.function.name or name
            arguments += call.function.arguments or ""
        finish = choice.finish_reason or finish
    return [call_id, name, arguments, finish]


def response_stream_report(stream):
    text = ""
    for event in stream:
        if event.type == "response.output_text.delta":
            text += event.delta
        if event.type == "response.completed":
            return [text, event.response.status]
    return text


def abort_report(stream):
    for chunk in stream:
        content = chunk.choices[0].delta.content
        if content == "Grüße":
            stream.close()
            return content
    return "the stream ended"


def thrown(error):
    headers = getattr(getattr(error, "response", None), "headers", {})
    return {
        "class": type(error).__name__,
        "status": getattr(error, "status_code", None),
        "code": getattr(error, "code", None),
        "message": str(error),
        "request_id": getattr(error, "request_id", None),
        "retry_after": headers.get("retry-after"),
    }


def run(steps):
    report = {}
    for name, step in steps.items():
        try:
            report[name] = {"value": step()}
        except Exception as error:  # whatever it is, the test has to see it
            report[name] = {"thrown": thrown(error)}
    print(json.dumps(report))
