import { providers } from '../../../plugins/index.ts';
import { throughHub } from '../../../src/formats/through-hub/index.ts';
import { vendors } from '../../../plugins/providers/vendors/index.ts';
import { type Endpoint, type EndpointTraits, endpoints } from '../../../src/core/endpoint.ts';
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
      .join(', ')} and the [services known by name](services.md) accept such requests.`,
    `${account.length} of these routes (batches and fine-tuning) belong to one account: they need \`x-gateway-virtual-key\`, or a header or config that names exactly one provider.`,
    'Clients of Azure OpenAI need only the address of the gateway (`azure_endpoint`, `endpoint`): `/openai/…` and `/openai/v1/…` are the routes above, and the deployment in `/openai/deployments/NAME/chat/completions` is the model that the request asks for, whatever its body says. Their `api-key` header holds the gateway key, and `api-version` is ignored. A deployment may be called `@slug/model`.',
    'Where a route is converted, models of one provider may differ: see the [pages of the providers](providers.md). An OpenAPI description is served at `/openapi.json`, and is in [openapi.json](openapi.json).\n',
  ].join('\n\n');
}

function cell(provider: Provider, endpoint: Endpoint): string {
  // A prompt is the chat completion that it stands for; a rendering reaches no provider.
  if (endpoint === 'prompts/{id}/completions') return cell(provider, 'chat/completions');
  if (endpoint === 'prompts/{id}/render' || endpoint === 'feedback' || endpoint === 'feedback/{id}') return '–';
  // The socket is one of OpenAI's voices: who has none of them relays the path, and nobody is there.
  if (endpoint === 'realtime' && provider.operations['audio/speech'] === undefined) return '';
  if (endpoint === 'realtime' || endpoint === 'models/{id}') return provider.relay === undefined ? '' : '✓';
  if (endpoint === 'relay') return '';
  const operation = throughHub(provider).operations[endpoint];
  if (operation === undefined) return '';
  return operation.isConverted === true ? '⇄' : '✓';
}
