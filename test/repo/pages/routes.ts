import { providers } from '../../../plugins/index.ts';
import { throughHub } from '../../../src/formats/through-hub/index.ts';
import { vendors } from '../../../plugins/providers/vendors/index.ts';
import { type Endpoint, type EndpointTraits, endpoints, traitsOf } from '../../../src/core/endpoint.ts';
import type { Provider } from '../../../src/core/provider.ts';

const rows: ReadonlySet<string> = new Set(vendors.map(({ type }) => type));

/** Services that are rows have a page of their own. */
const shown = providers.filter(({ type }) => type !== 'mock' && !rows.has(type));

/** `docs/routes.md`: every modelled route, and which types of providers serve it. */
export function routesPage(): string {
  const lines = (Object.entries(endpoints) as [Endpoint, EndpointTraits][]).flatMap(([endpoint, traits]) =>
    traits.routes.map(([method, path]) => {
      const cells = shown.map((provider) => cell(provider, endpoint));
      return `| \`${method} /v1/${path}\` | ${traits.about} | ${cells.join(' | ')} |`;
    }),
  );
  const account = (Object.values(endpoints) as EndpointTraits[]).filter((traits) => traits.account === true);
  return [
    '# Routes',
    '✓: the provider uses the format of the route, and the gateway forwards bodies unchanged. ⇄: the gateway converts. Empty: the gateway returns 400 `unsupported_endpoint`, and a fallback tries its next target. –: the gateway itself responds. [Services known by name](services.md) lists the routes of the other types. Types from `provider_plugins` define which routes they serve; `mock` simulates most routes without a network.',
    `| Route | Does | ${shown.map(({ type }) => `\`${type}\``).join(' | ')} |\n|---|---|${shown.map(() => ':-:|').join('')}\n${lines.join('\n')}`,
    '`HEAD` returns the headers of `GET` without the body. For the content of a file and the output of a batch, `HEAD` is passed through to the provider, so that the gateway does not download them.',
    `Any other path below \`/v1/\` is passed through with its method, query and body to the provider that a header, a virtual key or a config chooses: ${shown
      .filter(({ relay }) => relay !== undefined)
      .map(({ type }) => `\`${type}\``)
      .join(
        ', ',
      )} and the [services known by name](services.md) accept such requests. They also get \`GET /v1/realtime\`: a service without it, such as Anthropic, rejects the WebSocket itself.`,
    `${account.length} of these routes (batches and fine-tuning) belong to one account: they need \`x-gateway-virtual-key\`, or a header or config that names exactly one provider.`,
    'Where a route is converted, models of one provider may differ: see the [pages of the providers](providers.md). An OpenAPI description is served at `/openapi.json`, and is in [openapi.json](openapi.json).',
    '## Paths of Azure OpenAI',
    'Clients of Azure OpenAI need only the address of the gateway (`azure_endpoint`, `endpoint`). The routes above are also served below `/openai/` and `/openai/v1/`. In `/openai/deployments/NAME/chat/completions`, NAME is the model of the request and replaces the one in its body; it may be `@slug/model`. Clients whose base URL ends in `/v1` send `/v1/deployments/NAME/chat/completions`, which is served in the same way. The header `api-key` contains the gateway key, and `api-version` is ignored.',
    '## Feedback',
    '```sh\ncurl http://127.0.0.1:8787/v1/feedback -H \'content-type: application/json\' \\\n  -d \'{"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","value":1,"weight":0.5,"metadata":{"comment":"helpful"}}\'\n```',
    '`trace_id` is the value of the response header `x-gateway-trace-id`, `value` a number from -10 to 10, `weight` (optional) a number from 0 to 1, `metadata` (optional) an object of at most 1,024 characters. The response contains the id of the feedback in `feedback_ids`; `PUT /v1/feedback/{id}` changes it. The request log stores feedback with its trace.\n',
  ].join('\n\n');
}

function cell(provider: Provider, endpoint: Endpoint): string {
  // A prompt is the chat completion that it stands for; a rendering reaches no provider.
  if (endpoint === 'prompts/{id}/completions') return cell(provider, 'chat/completions');
  if (endpoint === 'prompts/{id}/render' || endpoint === 'feedback' || endpoint === 'feedback/{id}') return '–';
  // The socket is one of OpenAI's voices: who has none of them relays the path, and nobody is there.
  if (endpoint === 'realtime' && provider.operations['audio/speech'] === undefined) return '';
  if (endpoint === 'realtime' || traitsOf(endpoint).modelInPath === true) return provider.relay === undefined ? '' : '✓';
  if (endpoint === 'relay') return '';
  const operation = throughHub(provider).operations[endpoint];
  if (operation === undefined) return '';
  return operation.isConverted === true ? '⇄' : '✓';
}
