import type { JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import { isJsonObject } from '#core/json/merge.ts';
import { objectOf } from '#formats/shared/json.ts';

/** Converts bodies of batches and jobs to the form of dated versions; other bodies pass unchanged. */
export function datedBody(body: JsonBody, endpoint: Endpoint): JsonBody {
  if (endpoint === 'batches') return withoutVersionPrefix(body);
  return endpoint === 'fine_tuning/jobs' ? withLegacyHyperparameters(body) : body;
}

/** Dated versions use the endpoint of a batch without `/v1`. */
function withoutVersionPrefix(body: JsonBody): JsonBody {
  const endpoint = body.peek('endpoint');
  return typeof endpoint === 'string' && endpoint.startsWith('/v1/') ? body.edit(new Map([['endpoint', endpoint.slice(3)]])) : body;
}

/**
 * Dated versions accept the settings of supervised tuning only under their older name. Other methods, and settings without an
 * older name, are sent unchanged: the service reports what it does not know.
 */
function withLegacyHyperparameters(body: JsonBody): JsonBody {
  const method = body.has('method') && !body.has('hyperparameters') ? body.value('method') : undefined;
  if (!isJsonObject(method) || method['type'] !== 'supervised') return body;
  const { hyperparameters = {}, ...others } = objectOf(method['supervised']);
  if (Object.keys(others).length > 0) return body;
  return body.edit(
    new Map<string, unknown>([
      ['method', undefined],
      ['hyperparameters', hyperparameters],
    ]),
  );
}
