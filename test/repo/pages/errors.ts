import { type CatalogueRow, type ErrorCode, errorCatalogue } from '../../../src/core/error.ts';

/** What the reader of an error can do about it. A code without a line here has its whole story in the catalogue. */
const advice: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'Look at the position that the message names. A body sent with `curl -d` needs single quotes around it.',
  invalid_config: 'The message names the path in the config, its value and what is expected, like `gateway check`.',
  invalid_header: '`error.param` names the header. See [headers](headers.md).',
  invalid_metadata: 'Send an object of strings, each at most 128 characters: `x-gateway-metadata: {"team":"web"}`.',
  invalid_filter: 'The message has the position and what is wrong there. The language is described in [filters](filters.md).',
  no_target: 'Write the model as `@slug/model`, or send `x-gateway-provider` or `x-gateway-config`.',
  missing_virtual_key: 'Send `x-gateway-virtual-key`, or choose one provider by header or config.',
  unsupported_parameter: '`error.param` names it. Remove it, or choose a provider that supports it.',
  missing_api_key: 'Send the gateway key as `x-gateway-api-key`, `Authorization: Bearer …` or `x-api-key`.',
  invalid_api_key: 'Compare the key with the one that was issued; `api_keys` in `gateway.yaml` contains only its hash.',
  expired_api_key: 'Ask for a new key, or move `api_keys.<name>.expires`.',
  missing_credential: "In direct mode, send the provider's own key in `Authorization`.",
  not_allowed: 'The message names the rule: `api_keys.<name>.allow`, `allow_custom_host` or `server.egress.allow`.',
  config_not_found: 'The message offers the nearest name.',
  provider_not_found: 'The message offers the nearest slug. Slugs are the keys of `providers` and `virtual_keys`.',
  model_not_found: 'The provider in `gateway.yaml` lists its `models` or `deployments`.',
  route_not_found: 'Routes begin with `/v1/`.',
  method_not_allowed: 'The header `Allow` lists the methods that the route supports.',
  timeout: 'The message names the target and the timeout. See `timeouts` and `request_timeout` in [configuration](configuration.md).',
  body_too_large: 'The hint names the setting: raise it, or send less.',
  rate_limited: 'Wait as long as `retry-after` says. `x-gateway-error-source` shows whose limit it is.',
  headers_too_large: 'Put long configs into `gateway.yaml` and name them.',
  provider_error: "The message, code and status are the provider's own.",
  internal: 'Please report it, with the request id.',
  unsupported_endpoint: 'Choose a provider that serves it. A fallback config moves on to the next target.',
  provider_auth_failed:
    'The message names the setting of the credential, for example `providers.main.api_key`. Correct it, then run `gateway providers test main`.',
  upstream_unreachable: 'Check that the host in the message is right and reachable from the gateway.',
  upstream_invalid: 'Often a proxy or a login page between the gateway and the provider. In a fallback config the next target is tried.',
  all_targets_failed:
    'The status is that of the last target’s error, 502 where it had no response. `error.gateway.attempts` lists each attempt with status and message.',
  stream_interrupted: 'The text so far is not the complete response. Send the request again.',
  idle_timeout: 'The text so far is not the complete response. See `timeouts.idle`.',
  draining: 'Try again after `retry-after`, which may reach another instance.',
  overloaded: 'Try again after `retry-after`; the operator may raise `server.max_in_flight` or `server.memory`, as the message says.',
};

const example = `\`\`\`json
{
  "error": {
    "message": "The request names no provider. …",
    "type": "invalid_request_error",
    "code": "no_target",
    "param": null,
    "gateway": { "request_id": "req_…", "source": "gateway", "hint": "…" }
  }
}
\`\`\``;

/** `docs/errors.md`: one heading a code, so that a search for the code lands there. */
export function errorsPage(): string {
  const rows = Object.entries(errorCatalogue) as [ErrorCode, CatalogueRow][];
  const table = rows.map(([code, row]) => `| [\`${code}\`](#${code}) | ${row.status} | ${row.retry ?? 'no'} |`);
  const sections = rows.map(([code, row]) => {
    const more = advice[code];
    return `## ${code}\n\nStatus ${row.status} · type \`${row.type}\`\n\n${row.about}${more === undefined ? '' : `\n\n${more}`}\n`;
  });
  return [
    '# Errors',
    'Every error that the gateway makes has one of these codes. The body has the shape that client libraries print:',
    example,
    'On `/v1/messages` it is `{"type":"error","error":{"type":…,"message":…,"gateway":{"code":…,…}},"request_id":…}`. `error.gateway.source` and the header `x-gateway-error-source` say whose error it is: `gateway` or `provider`. In a stream that has begun, the same object is the last event. An error that a provider made keeps the status, code and further keys of the provider.',
    '### Retries\n\nClient libraries send a request again after the statuses 408, 409, 429 and 5xx. Where a retry cannot succeed, the response has the header `x-should-retry: false`, and the libraries of OpenAI and Anthropic send one request only. The header `x-should-retry` of a provider passes unchanged, unless the gateway has used up retries or targets of its own. If a provider asks for a wait only in the body of its error, the gateway sends it as `retry-after`.',
    `| Code | Status | Can a retry succeed? |\n|---|---|---|\n${table.join('\n')}`,
    'By status: a retry can succeed after 408, 409, 423, 424, 425, 429 and 5xx other than 501 and 505; not where the code of the provider says that a quota is used up.',
    ...sections,
  ].join('\n\n');
}
