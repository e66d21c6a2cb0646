import { providers } from '../../../plugins/index.ts';
import { canonicalPrefix, defaultPrefixes, type RequestHeader, requestHeaders, responseHeaders } from '../../../src/core/http/headers.ts';

const requestMeaning = {
  apiKey: 'API key of the gateway. It is also accepted in `Authorization: Bearer …` and `x-api-key`.',
  provider: 'Slug of a provider (`@openai-main`), or in direct mode a type (`openai`).',
  virtualKey: 'Name of a virtual key, or a slug.',
  providerModel: 'The model, for requests whose body has no field for it: uploads of files and batches. Like `model`, it may have a slug.',
  filePurpose: 'The purpose of an uploaded file, if its form has none (`vertex-ai`).',
  config: 'Name of a config, or a config object as JSON: at most 32 KB and 256 targets.',
  traceId: 'Trace that this request belongs to. Default: the trace id of `traceparent`, otherwise a new one.',
  spanId: 'Id of this request within the trace.',
  spanName: 'Name of this step in the request log and in exported traces; its first 128 characters are kept.',
  parentSpanId: 'Span id of the step that sent this request: the dashboard shows the request below it in the tree of the trace.',
  metadata: 'JSON object of strings (128 characters each), for conditional routing and the request log.',
  strictCompliance:
    '`false` (in any letter case; also `0`, `no`, `off`) allows fields in the response that the OpenAI format does not define: thinking blocks, native finish reasons.',
  reasoningContent:
    '`true`: chat completions also contain the thinking text of the model as `reasoning_content`, with and without strict compliance; `false` omits it even if the config enables it.',
  customHost: 'Base URL to call instead of that of the provider. With a configured provider only if `allow_custom_host` permits it.',
  forwardHeaders: 'Request headers that are forwarded to the provider, separated by commas.',
  requestTimeout: 'Milliseconds. Can only shorten what the configuration allows.',
  cacheForceRefresh: '`true`: the response is not taken from the [cache](concepts.md#cache), and replaces the stored one.',
  cacheNamespace: 'Text that separates stored responses: only requests with the same namespace share them.',
  debug:
    '`false`: the record stores no bodies, and the cache neither reads nor stores the response. `true` has no effect in this version. A value that is not a boolean is rejected.',
  log: '`metadata` or `none` (also `redacted`): stores less in the record of this request. See `logging.requests.client_may`. Unknown values are rejected.',
} as const satisfies Record<RequestHeader, string>;

const responseMeaning = {
  traceId: 'Trace id of the request.',
  config: 'Config and revision, for example `support@91bd0e7`; `-` in place of the name if no config applied.',
  provider: 'Slug of the provider that responded.',
  providerType: 'Type of this provider.',
  model: 'Model name that was sent to the provider.',
  lastUsedOptionIndex: 'Path of the target in the config, for example `config.targets[1]`.',
  retryAttemptCount:
    'Number of retries of the last target; `-1` if all of them failed, or if the provider requested a wait that is too long.',
  cacheStatus:
    '`HIT`: the response is from the [cache](concepts.md#cache), and nothing was sent. `MISS`: the response is stored if it is complete. `REFRESH`: the same, as the request demanded. `DISABLED`: no cache for this target, or for this kind of request.',
  attempts:
    'Each attempt with its status and time, for example `openai=503;212ms, local=200;840ms`; at most 8, then the number of the others: `... and 3 more`. Without a status, it has the [outcome](metrics.md#requests): `timeout`, `unreachable`, `faulty`, `refused`, `skipped` or `cancelled`.',
  overheadMs: 'Milliseconds up to the first byte of the response, without the time spent waiting for a provider.',
  cost: 'Cost in USD as an exact decimal, for example `0.000102`. Only on responses that are not streamed, and if the price is known. The cost of a stream is in the request log.',
  errorSource: '`gateway` or `provider`, on errors.',
  droppedParams:
    'Parameters that the chosen provider does not support and that were not sent, and requested parts of the response that strict compliance hides (`content_blocks.thinking`, `content_blocks.image_url`); at most 20 and 1 KB, then the number of the others: `... and 12 more`.',
  warnings: 'Notes on how the request was handled, at most 5 sentences and 1 KB.',
  overruled:
    'Choices of the request that were overruled, each with what was used instead, for example `model=@azure-eu;by=config, x-gateway-provider=claude;by=config`.',
  exception: '`true` on errors of the gateway itself.',
  prompt: 'The stored prompt that was used, with its version.',
} as const satisfies Record<keyof typeof responseHeaders, string>;

const name = (tail: string): string => `\`${canonicalPrefix}${tail}\``;

/** `docs/headers.md`, made from the table of names in the core. */
export function headersPage(): string {
  const requests = Object.entries(requestHeaders).map(
    ([key, tails]) => `| ${tails.map(name).join(', ')} | ${requestMeaning[key as RequestHeader]} |`,
  );
  const responses = Object.entries(responseHeaders).map(
    ([key, header]) => `| \`${header}\` | ${responseMeaning[key as keyof typeof responseHeaders]} |`,
  );
  return [
    '# Headers',
    `Gateway headers begin with ${defaultPrefixes.map((prefix) => `\`${prefix}\``).join(' or ')}; \`server.header_prefixes\` changes the list. The gateway accepts all of them. It writes response headers with the prefix \`x-gateway-\`, and again with the prefix that the request used. It never sends any of them to a provider.`,
    '## Request headers',
    `| Header | Meaning |\n|---|---|\n${requests.join('\n')}`,
    'The gateway ignores a header with one of these prefixes and an unknown name; `x-gateway-warnings` reports it and suggests the nearest name. If the nearest name is `config`, `provider`, `virtual-key` or `api-key`, the gateway rejects the request with 400 `invalid_header`, because it would use another route or another caller without that header.',
    '### Settings of a provider\n\nIn direct mode, where the request has its own credential, these headers set the keys of a provider. With a provider of `gateway.yaml`, the gateway rejects those that change the host or choose a part of the account (deployment, version, organization) with 403 `not_allowed`. It uses the credential of the provider; if the request sends another one, `x-gateway-overruled` lists it. Versions and features (`anthropic-version`, `anthropic-beta`) are sent to the provider; the other headers have no effect.',
    settings(),
    '## Response headers',
    `| Header | Meaning |\n|---|---|\n${responses.join('\n')}\n| \`x-request-id\` | The id of this request, also in the request log. On \`/v1/messages\` also as \`request-id\`. |\n| \`x-should-retry\` | \`false\` on errors that a retry cannot change ([errors](errors.md#retries)), and when the gateway has used up its own retries and targets. |\n| \`server-timing\` | Time in the gateway and upstream. |`,
    '`server.expose_routing: false` omits provider, model, target, attempts, cost, dropped parameters, warnings and overruled choices, and the attempts in errors. The config is still shown, and the message of an error may name a provider.',
    'Other headers of the provider, such as its rate limits, are forwarded, except for connection headers, cookies, CORS headers and its own request id. If the gateway writes the body of an error, only `retry-after` and rate limits are, and of the error of a provider `x-should-retry`, `content-range` (416) and `allow` (405).\n',
  ].join('\n\n');
}

/** Names that only old clients use: another header has the name of the service. */
const neutral = /^(?:cloud|vendor)-/;

/** The headers that set a key of a provider, one row for each. */
function settings(): string {
  const rows = providers.flatMap((provider) =>
    provider.entry.requestSettings.map((entry) => {
      const host = entry.shapesHost ? 'host' : entry.choosesPart === true ? 'part' : '';
      const known = entry.headers.filter((tail) => !neutral.test(tail));
      return `| \`${provider.type}\` | ${(known.length === 0 ? entry.headers : known).map(name).join(', ')} | \`${entry.setting}\` | ${host} |`;
    }),
  );
  return `| Type | Header | Key | Rejected with a configured provider |\n|---|---|---|---|\n${rows.join('\n')}`;
}
