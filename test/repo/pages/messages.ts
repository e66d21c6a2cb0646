import { columns, rows } from '../../messages/survives.ts';

/** `docs/messages.md`: what of the messages API reaches providers that do not speak it. A test converts every row. */
export function messagesPage(): string {
  const lines = rows.map(({ name, cells }) => `| ${name} | ✓ | ${cells.split('').join(' | ')} |`);
  return [
    '# Messages on every provider',
    "`/v1/messages` and `/v1/messages/count_tokens`, the API of Anthropic's libraries and of Claude Code, are served by every provider that serves chat completions.",
    "- Where the model speaks the format itself (`anthropic`, Claude on `vertex-ai`, `azure-ai` and `bedrock`), bytes pass.\n- Elsewhere the request is converted, and so is the response or its stream. What the model's service does not support is named in `x-gateway-dropped-params`, by the names that the request uses.\n- `override_params` apply to the request as the client sent it, before it is converted.\n- A fallback may mix both: first Claude, then another model.\n- `anthropic-beta` and `anthropic-version` reach services that know them; elsewhere they have no effect.",
    '## What reaches the model',
    '✓: carried. –: left out, and named in `x-gateway-dropped-params`. Claude on `anthropic`, `vertex-ai`, `azure-ai` and `bedrock` gets the request as it is. Models of one provider may differ: see the [pages of the providers](providers.md).',
    `| Of the request | Claude | ${columns.join(' | ')} |\n|---|${':-:|'.repeat(columns.length + 1)}\n${lines.join('\n')}`,
    'From every model come back: text, reasoning, tool calls, refusals, the reason for the end (`stop_reason`) and usage with cached and reasoning tokens. Images and sound in a response have no place in this API and are left out. In streams `message_delta` has the input tokens, since other services count at the end; `message_start` says 0.',
    'A document by URL is downloaded for services that read none. A user id of more than 64 characters is sent to services of the chat format as its SHA-256.',
    '## Counting tokens',
    '`/v1/messages/count_tokens` asks the service where it counts: Anthropic, Gemini (`countTokens`) and OpenAI (`responses/input_tokens`). For others the count is an estimate, and the response says so in `x-gateway-warnings`: `input_tokens is an estimate: this provider counts no tokens`. The estimate is one token for 4 ASCII characters, 0.8 for each other character, 4 for each message (the system prompt is one) and 3 more, 8 for each tool, 1,600 for each image and for each 100 KB of a document.',
    '## Thinking',
    'Reasoning of other models appears as `thinking` blocks with the signature `gateway:unsigned`. The gateway removes such blocks again before a request reaches Anthropic, which would reject them.\n',
  ].join('\n\n');
}
