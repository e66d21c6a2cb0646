import { type CatalogueRow, type ErrorCode, errorCatalogue } from '../../../src/core/error.ts';

/** What the reader of an error can do about it. For codes without a line here, the text of the catalogue is enough. */
const advice: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'The message contains the position of the error. In a shell, put the body of `curl -d` in single quotes.',
  invalid_config: 'The message contains the path in the config, the value found and the expected value, as in `gateway check`.',
  invalid_header: '`error.param` names the header. See [headers](headers.md).',
  invalid_metadata: 'Send an object of strings, each at most 128 characters: `x-gateway-metadata: {"team":"web"}`.',
  invalid_filter: 'The message contains the position and the error. The syntax is described in [filters](filters.md).',
  no_target: 'Write the model as `@slug/model`, or send `x-gateway-provider` or `x-gateway-config`.',
  missing_virtual_key: 'Send `x-gateway-virtual-key`, or choose one provider by header or config.',
  unsupported_parameter: '`error.param` names it. Remove it, or choose a provider that supports it.',
  missing_api_key: 'Send an API key of the gateway as `x-gateway-api-key`, `Authorization: Bearer …` or `x-api-key`.',
  invalid_api_key: 'Check the key with `gateway keys verify`; `api_keys` in `gateway.yaml` contains only its hash.',
  expired_api_key: 'Use a new key (`gateway keys rotate`), or change `api_keys.<name>.expires`.',
  missing_credential: "In direct mode, send the provider's own key in `Authorization`.",
  not_allowed: 'The message names the rule: `api_keys.<name>.allow`, `allow_custom_host` or `server.egress.allow`.',
  host_not_allowed:
    'Use `http://127.0.0.1` or `http://localhost`, or [define keys](keys.md). See [security](security.md#without-keys-programs-and-pages-of-this-machine).',
  origin_not_allowed: 'Add the origin to `server.cors.origins`. In calls of the admin API, send `x-gateway-admin: 1`.',
  unsupported_media_type: 'Send `content-type: application/json`; `curl -d` alone sends the content type of a form.',
  config_not_found: 'The message suggests the nearest name.',
  provider_not_found: 'The message suggests the nearest slug. Slugs are the names in `providers` and `virtual_keys`.',
  model_not_found: 'The provider in `gateway.yaml` lists its `models` or `deployments`.',
  route_not_found:
    'Routes begin with `/v1/`: see [routes](routes.md). Metrics are on other listeners: see [observability](observability.md#metrics).',
  method_not_allowed: 'The header `Allow` lists the methods that the route supports.',
  timeout: 'The message names the target and the timeout. See `timeouts` and `request_timeout` in [configuration](configuration.md).',
  body_too_large: 'The hint names the setting with the limit: raise it, or send a smaller body.',
  budget_exhausted:
    'The hint says when the next period begins. An operator can raise [`limits.budget`](keys.md#limits), which a reload applies at once.',
  rate_limited:
    'Wait for the seconds in `retry-after`. `x-gateway-error-source` shows whether it is a limit of the gateway or of the provider.',
  headers_too_large: 'Put long configs into `gateway.yaml` and refer to them by name.',
  provider_error: 'The message, code and status are those of the provider.',
  internal: 'Please report it, with the request id.',
  unsupported_endpoint:
    'Choose a provider that serves it. A fallback config moves on to the next target. With status 405, the route exists, but not with this method: the header `Allow` lists its methods.',
  provider_auth_failed:
    'The message names the setting of the credential, for example `providers.main.api_key`. Correct it, then run `gateway providers test main`.',
  upstream_unreachable:
    'Check the host in the message, and that the gateway can reach it. For a certificate of your own authority, see [connections to providers](running.md#connections-to-providers).',
  upstream_invalid:
    'A common cause is a proxy or a login page between the gateway and the provider. A config with a fallback tries the next target.',
  all_targets_failed:
    'The status is that of the last target, or 502 if it did not respond. `error.gateway.attempts` lists each attempt with status and message.',
  target_skipped: 'The message contains the reason. Wait until the [circuit](concepts.md#strategies) closes, or add a further target.',
  log_unavailable:
    'The message contains the reason. Clients are served without the request log. See [the request log](running.md#the-request-log).',
  auth_unavailable: 'Check that the gateway can reach the address in `auth.jwt.jwks`.',
  stream_interrupted: 'The response is incomplete. Send the request again.',
  idle_timeout: 'The response is incomplete. To allow longer pauses, raise `timeouts.idle`.',
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
  },
  "status": "failure",
  "message": "The request names no provider. …"
}
\`\`\``;

/** `docs/errors.md`: one heading a code, so that a search for the code lands there. */
export function errorsPage(): string {
  const rows = Object.entries(errorCatalogue) as [ErrorCode, CatalogueRow][];
  const table = rows.map(([code, row]) => `| [\`${code}\`](#${code}) | ${row.status} | ${row.retry ?? 'no'} |`);
  const sections = rows.map(([code, row]) => {
    const adviceText = advice[code];
    return `## ${code}\n\nStatus ${row.status} · type \`${row.type}\`\n\n${row.about}${adviceText === undefined ? '' : `\n\n${adviceText}`}\n`;
  });
  return [
    '# Errors',
    'Every error of the gateway has one of these codes. The body has the format that client libraries expect and print:',
    example,
    'On `/v1/messages` it is `{"type":"error","error":{"type":…,"message":…,"gateway":{"code":…,…}},"request_id":…}`. The top-level `status`, `message` and, if a provider was called, `provider` are for clients of the Portkey API; events of a stream do not have them.\n\n`error.gateway.hint` says what to do. If a target was tried, `error.gateway.attempts` lists each attempt. `error.gateway.source` and the header `x-gateway-error-source` show where the error comes from: `gateway` or `provider`. In a stream that has begun, the same object is the last event. An error of a provider keeps the status, the code and all other fields of the provider.',
    '### Retries\n\nClient libraries retry a request after the statuses 408, 409, 429 and 5xx. If a retry cannot succeed, the response has the header `x-should-retry: false`, and the libraries of OpenAI and Anthropic do not retry. The gateway forwards the header `x-should-retry` of a provider, unless it has already used up its own retries or targets. If a provider sends `x-should-retry: false`, the gateway does not retry the same target either; a fallback tries the next one. If a provider requests a wait only in the body of its error, the gateway sends it as `retry-after`.',
    `| Code | Status | Can a retry succeed? |\n|---|---|---|\n${table.join('\n')}`,
    '"by status": a retry can succeed after 408, 409, 423, 424, 425, 429 and 5xx except 501 and 505, unless the code of the provider means that a quota is used up.',
    ...sections,
  ].join('\n\n');
}
