import { GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { ExplainRequest } from '../../../core/logs/explanation.ts';
import { replayLimitMs } from '../../api-types.ts';
import { type AdminRoute, isSet, keyIn, textIn } from '../route.ts';

export const explainRoutes: readonly AdminRoute[] = [
  {
    method: 'POST',
    path: '/api/explain',
    role: 'operator',
    about: 'Shows what would happen to a request under the current configuration. Sends nothing.',
    body: {
      method: 'method of the request; default: `POST`',
      path: 'path of the request; default: `/v1/chat/completions`',
      headers: 'headers of the request: an object of strings',
      body: 'body of the request: a JSON value, or a string with JSON',
      key: 'name of the API key whose rules apply',
      recorded_key: 'the same for a recorded request; ignored if the configuration no longer has the key',
      from_log: 'id of a recorded request; the other members replace its values',
      assume: 'assumed result of each provider, by slug: a status, `timeout` or `reset`',
      random: 'seed of the choice between weights, from 0 to below 1: the same number chooses the same targets',
    },
    returns: '`Explanation`',
    handle: async ({ subject, body }) => ({ json: await (await subject.explainer()).explain(explainRequestIn(await body())) }),
  },
  {
    method: 'GET',
    path: '/api/requests/{id}/differences',
    role: 'operator',
    about: 'Compares the request of the client with the one that was sent to the provider; each difference has its cause.',
    returns: '`RequestDifferences`',
    handle: async ({ subject, params }) => ({ json: await (await subject.explainer()).differences(params['id'] ?? '') }),
  },
  {
    method: 'POST',
    path: '/api/replay',
    role: 'operator',
    about: 'Sends a recorded request again, as a client of the gateway, and compares the responses.',
    body: {
      id: 'id of the record',
      to: '`provider/model` to use instead of the original target',
      config: 'config to use instead of the original one',
      api_key: 'secret of an API key, if the gateway requires one; it is not stored',
      force: 'true: sends the body even if parts of it are masked in the log',
    },
    returns: '`ReplayResult`',
    limitMs: replayLimitMs,
    handle: async ({ subject, body }) => {
      const given = await body();
      const request = {
        id: textIn(given, 'id'),
        to: optionalText(given, 'to'),
        config: optionalText(given, 'config'),
        api_key: keyIn(given, 'api_key'),
        force: isSet(given, 'force'),
      };
      return { json: await (await subject.explainer()).replay(request) };
    },
  },
];

function optionalText(body: JsonObject, name: string): string | undefined {
  return body[name] === undefined || body[name] === null ? undefined : textIn(body, name);
}

/** @throws GatewayError `invalid_type`, `invalid_value` */
function explainRequestIn(body: JsonObject): ExplainRequest {
  const { random } = body;
  if (random !== undefined && (typeof random !== 'number' || random < 0 || random >= 1))
    throw new GatewayError('invalid_value', { message: '"random" is not a number from 0 to below 1.', param: 'random' });
  return {
    method: optionalText(body, 'method'),
    path: optionalText(body, 'path'),
    headers: textsIn(body, 'headers'),
    body: body['body'],
    key: optionalText(body, 'key'),
    recorded_key: optionalText(body, 'recorded_key'),
    from_log: optionalText(body, 'from_log'),
    assume: assumptionsIn(body['assume']),
    random,
  };
}

function textsIn(body: JsonObject, name: string): Readonly<Record<string, string>> | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new GatewayError('invalid_type', { message: `"${name}" is not an object.`, param: name });
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      if (typeof text !== 'string' || /[\r\n\0]/.test(key + text) || key === '')
        throw new GatewayError('invalid_value', { message: `"${name}" has a value that is not a valid header.`, param: name });
      return [key, text];
    }),
  );
}

function assumptionsIn(value: unknown): ExplainRequest['assume'] {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new GatewayError('invalid_type', { message: '"assume" is not an object.', param: 'assume' });
  return Object.fromEntries(
    Object.entries(value).map(([slug, result]) => {
      if (result === 'timeout' || result === 'reset') return [slug, result];
      if (typeof result === 'number' && Number.isInteger(result) && result >= 100 && result < 600) return [slug, result];
      throw new GatewayError('invalid_value', {
        message: '"assume" has a value that is not a status, "timeout" or "reset".',
        param: 'assume',
        hint: 'For example {"assume": {"openai-main": 429, "azure-eu": "timeout"}}.',
      });
    }),
  );
}
