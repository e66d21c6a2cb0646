import { columns, rows } from '../../messages/survives.ts';

/** `docs/messages.md`: what of the messages API reaches providers that do not speak it. A test converts every row. */
export function messagesPage(): string {
  const lines = rows.map(({ name, cells }) => `| ${name} | ✓ | ${cells.split('').join(' | ')} |`);
  return [
    '# Messages on every provider',
    "Clients of Anthropic's API, such as Anthropic's libraries and Claude Code, can use every provider that serves chat completions, on `/v1/messages` and `/v1/messages/count_tokens`.",
    "- Where the model speaks the format itself (`anthropic`, Claude on `vertex-ai`, `azure-ai` and `bedrock`), bytes pass.\n- Elsewhere the request is converted, and so is the response or its stream. What the model's service does not support is named in `x-gateway-dropped-params`, by the names that the request uses.\n- `override_params` apply to the request as the client sent it, before it is converted.\n- A fallback may mix both: first Claude, then another model.\n- `anthropic-beta` and `anthropic-version` reach services that know them; elsewhere they have no effect.",
    '## What reaches the model',
    '✓: sent. –: left out, and listed in `x-gateway-dropped-params`. Claude on `anthropic`, `vertex-ai`, `azure-ai` and `bedrock` gets the request unchanged. Models of one provider may differ: see the [pages of the providers](providers.md).',
    `| Of the request | Claude | ${columns.join(' | ')} |\n|---|${':-:|'.repeat(columns.length + 1)}\n${lines.join('\n')}`,
    'The response of every model contains text, reasoning, tool calls, refusals, `stop_reason`, and usage with cached and reasoning tokens. Images and audio in a response are left out, because this API does not support them. In streams the input tokens are in `message_delta`, because other services count them at the end; `message_start` has 0.',
    'The gateway downloads a document at a URL for services that do not read URLs. A user id of more than 64 characters is sent as its SHA-256 to services with a chat completions API.',
    '## Counting tokens',
    '`/v1/messages/count_tokens` asks the service where it counts: Anthropic, Gemini (`countTokens`) and OpenAI (`responses/input_tokens`). For others the count is an estimate, and the response says so in `x-gateway-warnings`: `input_tokens is an estimate: this provider counts no tokens`. The estimate is one token for 4 ASCII characters, 0.8 for each other character, 4 for each message (the system prompt is one) and 3 more, 8 for each tool, 1,600 for each image and for each 100 KB of a document.',
    '## Limits of single services',
    '- Models of OpenAI from GPT-5.4 on call tools in chat completions only without reasoning: requests with tools are sent with `reasoning_effort: none`. GPT-6 Astra and GPT-6.1 Sol always reason, so they cannot call tools here.\n- Models of OpenAI enforce a schema only if its objects are closed and all their properties are required, without `default`, `oneOf` and `allOf`. Other schemas are sent without `strict`.\n- The steps of the code execution of Gemini are not part of the response.',
    '## Thinking',
    'Reasoning of other models appears as `thinking` blocks with the signature `gateway:unsigned`. The gateway removes such blocks again before a request reaches Anthropic, which would reject them.\n',
  ].join('\n\n');
}
