import type { ExplainRequest } from '../../core/logs/explanation.ts';
import { GatewayError } from '../../core/error.ts';
import type { IncomingRequest, PassThroughBody, RequestBody } from '../../core/http/request.ts';
import type { Client } from '../../core/http/client.ts';
import { canonicalPrefix } from '../../core/http/headers.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { tryParseJson } from '../../core/json/scan.ts';
import type { Clock } from '../../core/context.ts';
import { dryArrival, bodyOf, bytesOf } from '../../explain/dry-run/arrival.ts';
import type { SubstituteKeys } from '../../explain/dry-run/substitute-keys.ts';
import type { TestRequest } from '../test-case.ts';

/**
 * The request of a test as it would arrive.
 * @throws GatewayError when no API key has the name in `key`
 */
export function incomingRequest(test: TestRequest, client: Client, keys: SubstituteKeys, clock: Clock): IncomingRequest {
  const request = requestOf(test);
  const headers = { ...request.headers, ...(test.key === undefined ? {} : keys.headers(test.key)) };
  const { arrival, fault } = dryArrival(request, headers, keys.snapshot, clock);
  const read = (): RequestBody | GatewayError => {
    try {
      const body = bodyOf(request, arrival, keys.snapshot);
      return body.kind === 'passing' ? repeatable(body, bytesOf(request.body ?? '')) : body;
    } catch (error) {
      if (error instanceof GatewayError) return error;
      throw error;
    }
  };
  return { arrival, client, refusal: fault, body: { received: 0, read: (done) => done(read()), drop: () => undefined } };
}

function requestOf({ config, headers = {}, method, path, stream, random = 0, body }: TestRequest): ExplainRequest {
  const testHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value).trim()]));
  return {
    ...(method === undefined ? {} : { method }),
    ...(path === undefined ? {} : { path }),
    headers: { ...testHeaders, ...(config === undefined ? {} : { [`${canonicalPrefix}config`]: config }) },
    random,
    ...(body === undefined ? {} : { body: stream === undefined ? body : withStream(body, stream) }),
  };
}

/** The body with `stream`. A body that is no JSON object stays as it is, and the gateway rejects it. */
function withStream(body: unknown, stream: boolean): unknown {
  const value = typeof body === 'string' ? tryParseJson(body) : body;
  return isJsonObject(value) ? { ...value, stream } : body;
}

/** A body of known bytes, which can be sent to several providers. */
const repeatable = (body: PassThroughBody, bytes: Buffer): PassThroughBody => ({
  ...body,
  open: () => ({ chunks: chunksOf(bytes), length: bytes.length, contentType: body.contentType ?? '' }),
});

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
