import { tableOf } from '../../client-formats/cell.ts';
import { columns, rows } from '../../responses/survives.ts';

/** `docs/responses.md`: which parts of the responses API providers with another API support. A test converts every row. */
export function responsesPage(): string {
  const table = tableOf(
    rows,
    columns.map(({ title }) => title),
  );
  return [
    '# Responses on every provider',
    "Clients of OpenAI's responses API, such as Codex and OpenAI's Agents SDK, can use every provider that serves chat completions, on `/v1/responses`.",
    '```sh\ncurl http://127.0.0.1:8787/v1/responses -H \'content-type: application/json\' \\\n  -d \'{"model":"@mock/echo","input":"hello"}\'\n```',
    '- If the service has this API ([routes](routes.md), [services](services.md)), the gateway forwards requests and responses unchanged.\n- For all other models, the gateway converts the request and the response, streamed or not. It leaves out parameters that the service does not support, and lists them in `x-gateway-dropped-params` under the names in the request.\n- `override_params` are applied to the request of the client, before the conversion.\n- A fallback can have targets of both kinds.',
    '## What is supported',
    '✓: sent to the model. –: left out, and listed in `x-gateway-dropped-params`. Models of one provider may differ: see the [pages of the providers](providers.md).',
    table,
    'The response of every model contains text with its sources, refusals, reasoning, calls, images, web searches, `status` and `incomplete_details`, the parameters of the request, and usage with cached and reasoning tokens.',
    '- Reasoning is in `summary`, as the model shows it, whether a summary was requested or not.\n- Log probabilities are requested if `include` lists `message.output_text.logprobs`, as in the API itself. Without it, `top_logprobs` is left out and listed.\n- A tool with free text input is offered to the model as a function with one parameter, and its call is returned as a `custom_tool_call`. A grammar is described to the model, but not enforced: `tools[].format` is in `x-gateway-dropped-params`.\n- Audio in a response is returned as its transcript. Steps of code that ran at the service are left out, because this API has other ones. `x-gateway-warnings` lists what is left out; for a stream, only the request log does.',
    '## Nothing is stored',
    'These services store no responses, so `store` is `false` in each response, and the gateway rejects what needs an earlier one: `previous_response_id`, `conversation`, `background: true`, `prompt`, and items of type `item_reference`. Send the whole conversation in `input`, with the items of the responses as they are. Client libraries that send references by default, such as the AI SDK, send the items themselves with `store: false`.',
    '## Counting tokens',
    'For `/v1/responses/input_tokens`, Gemini counts. Services without such a route get no request: the count is an [estimate](messages.md#counting-tokens), and the response has `x-gateway-warnings: input_tokens is an estimate: this provider counts no tokens`.',
    '## Reasoning',
    'The items of type `reasoning` keep in `encrypted_content` what the service needs to continue its reasoning: signed and encrypted thinking of Claude, signatures of Gemini, and details of OpenRouter. Send these items back unchanged. One that has no summary follows a message if Gemini has signed its text, so the last item of a response is not always a message. If the conversation continues at another service, it does not get them: the gateway removes them from requests to OpenAI, which could not decrypt them.\n',
  ].join('\n\n');
}
