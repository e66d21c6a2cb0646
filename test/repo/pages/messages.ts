import { tableOf } from '../../client-formats/cell.ts';
import { columns, rows } from '../../messages/survives.ts';

/** `docs/messages.md`: which parts of the messages API providers with another API support. A test converts every row. */
export function messagesPage(): string {
  // Requests to Claude are not converted.
  const table = tableOf(
    rows.map((row) => ({ ...row, cells: `✓${row.cells}` })),
    ['Claude', ...columns.map(({ title }) => title)],
  );
  return [
    '# Messages on every provider',
    "Clients of Anthropic's API, such as Anthropic's libraries and Claude Code, can use every provider that serves chat completions, on `/v1/messages` and `/v1/messages/count_tokens`.",
    '```sh\ncurl http://127.0.0.1:8787/v1/messages -H \'content-type: application/json\' \\\n  -d \'{"model":"@mock/echo","max_tokens":100,"messages":[{"role":"user","content":"hello"}]}\'\n```',
    '- If the service has this API (`anthropic`, and Claude on `vertex-ai`, `azure-ai` and `bedrock`), the gateway forwards requests and responses unchanged.\n- For all other models, the gateway converts the request and the response, streamed or not. It leaves out parameters that the service does not support, and lists them in `x-gateway-dropped-params` under the names in the request.\n- `override_params` are applied to the request of the client, before the conversion.\n- A fallback can have targets of both kinds: first Claude, then another model.\n- `anthropic-beta` and `anthropic-version` are sent to services with this API; other services do not get them.',

    '## What is supported',
    '✓: sent to the model. –: left out, and listed in `x-gateway-dropped-params`. Claude on `anthropic`, `vertex-ai`, `azure-ai` and `bedrock` gets the request unchanged. Models of one provider may differ: see the [pages of the providers](providers.md).',
    table,
    'The response of every model contains text, reasoning, tool calls, refusals, `stop_reason`, and usage with cached and reasoning tokens. Images and audio in a response are left out, because this API does not support them: `x-gateway-warnings` lists them; for a stream, only the request log does. In streams, `message_delta` contains the input tokens, because other services report them at the end; in `message_start` they are 0.',
    'If the service does not accept URLs, the gateway downloads a document at a URL. OpenRouter gets `cache_control` of tools and of texts, except in tool results and in turns with thinking, and `thinking` as its own `reasoning`. Services with a chat completions API get the SHA-256 of a `user_id` that has more than 64 characters.',
    '## Counting tokens',
    'For `/v1/messages/count_tokens`, the gateway calls the route of the service that counts tokens: of Anthropic, Gemini (`countTokens`) and OpenAI (`responses/input_tokens`). Other services have none. Their count is an estimate, and the response has `x-gateway-warnings: input_tokens is an estimate: this provider counts no tokens`.',
    'The estimate is the sum of: 1 token for 4 ASCII characters, 0.8 for each other character, 4 for each message (the system prompt is one), 8 for each tool, 1,600 for each image and for each 100 KB of a document, and 3 for the request.',
    '## Limits of some services',
    '- OpenAI: from GPT-5.4 on, models can call tools in chat completions only without reasoning, so the gateway sends requests with tools with `reasoning_effort: none`. GPT-6 Astra and GPT-6.1 Sol always reason, so they cannot call tools on this route.\n- OpenAI: `thinking: {type: disabled}` is sent as `reasoning_effort: none`. Models that cannot stop reasoning (before GPT-5.1, Codex, Pro, GPT-6 Astra and GPT-6.1 Sol) get `low`, and `thinking` is in `x-gateway-dropped-params`.\n- OpenAI: models enforce a schema only if all its objects have `additionalProperties: false` and all properties are required, and if it has no `default`, `oneOf` or `allOf`. The gateway sends other schemas without `strict`.\n- Gemini: the response does not contain the steps of code execution.\n- Streams: sources that a service sends after a tool call are left out, because the API cannot add them to an earlier text.',
    '## Thinking',
    'The reasoning of other models is returned as `thinking` blocks with the signature `gateway:unsigned`. If the client sends such blocks back, the gateway removes them before it sends the request to Anthropic, which would reject them; it also removes empty messages of the assistant. If the last tool calls are those of another model, Claude cannot think about their results: the gateway leaves out `thinking` with a budget, and lists it in `x-gateway-dropped-params`. Adaptive thinking is not affected.\n\nOpenRouter also sends signed and encrypted reasoning. Reasoning that Claude signed keeps its signature, so Anthropic accepts it too. Other details are kept in the signature of a `thinking` block or in the data of a `redacted_thinking` block, and reach OpenRouter unchanged in the next request. Other services do not get them.\n\nGemini signs calls and texts. If its response contains thoughts, the gateway returns each signature in a `redacted_thinking` block before the call or after the text, and sends it to Gemini with the next request, whichever gateway that reaches. Other services do not get them. In a response without thoughts, only the signatures of calls are kept, in the memory of the gateway (`server.thinking_memory`).\n\nSome clients, such as Claude Code, return only the text after the last block of reasoning. Behind the last text of a response without calls, the gateway therefore leaves out signatures and encrypted reasoning.\n',
  ].join('\n\n');
}
