import type { PassThroughBody, RequestBody, RequestHead } from '../../core/http/request.ts';
import type { Clock } from '../../core/context.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { GatewayError } from '../../core/error.ts';
import { emptyBody } from '../../core/json/body.ts';
import type { ExplainRequest } from '../../core/logs/explanation.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { formatSize } from '../../core/text/units.ts';
import { arrivalOf, readHead, routeFault } from '../../transport/inbound/arrival.ts';
import { jsonOf, missingBody } from '../../transport/inbound/body/json-request-body.ts';
import { headerNamesOf } from '../../transport/inbound/header-bag.ts';
import { Ids } from '../../transport/inbound/ids.ts';

/** A hypothetical request as it would arrive. */
export interface DryArrival {
  readonly arrival: RequestHead;
  /** Error in the request head. */
  readonly fault: GatewayError | undefined;
}

/** @param headers headers of the hypothetical request; names in any case */
export function dryArrival(
  request: ExplainRequest,
  headers: Readonly<Record<string, string>>,
  snapshot: Snapshot,
  clock: Clock,
): DryArrival {
  const given = { ...(request.body === undefined ? {} : { 'content-type': 'application/json' }), ...lowerCase(headers) };
  const head = readHead(
    {
      method: (request.method ?? 'POST').toUpperCase(),
      url: request.path ?? '/v1/chat/completions',
      headers: given,
      rawHeaders: Object.entries(given).flat(),
      socket: { remoteAddress: '127.0.0.1' },
    },
    headerNamesOf(snapshot),
    clock,
  );
  const random = (): number => request.random ?? Math.random();
  const { arrival, fault } = arrivalOf(head, { ids: new Ids(), random });
  return { arrival, fault: routeFault(head) ?? fault };
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * The body as the route reads it.
 * @throws GatewayError
 */
export function bodyOf(request: ExplainRequest, { endpoint, headers }: RequestHead, { server }: Snapshot): RequestBody {
  const { body: kind } = traitsOf(endpoint);
  const { body } = request;
  if (kind === 'none') return emptyBody;
  if (kind === 'passing') return passThroughBody(headers.get('content-type'), body === undefined ? 0 : bytesOf(body).length);
  if (body === undefined || body === null || body === '') {
    if (kind === 'json') throw missingBody();
    throw new GatewayError('invalid_form', {
      message: 'A form is explained by its fields: send them as a JSON object.',
      hint: 'Leave the file out. The upstream request then has the JSON object as its body.',
    });
  }
  const bytes = bytesOf(body);
  if (bytes.length > server.maxBody) {
    throw new GatewayError('body_too_large', {
      message: `The body is larger than the limit of ${formatSize(server.maxBody)}.`,
      hint: 'Send a smaller body, or raise server.max_body.',
    });
  }
  const read = jsonOf(bytes, server.json);
  if (read instanceof GatewayError) throw read;
  return read;
}

export const bytesOf = (body: unknown): Buffer => Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''), 'utf8');

/** A body that would be passed through. It is never read. */
const passThroughBody = (contentType: string | undefined, length: number): PassThroughBody => ({
  kind: 'passing',
  contentType,
  length,
  received: length,
  isSpent: false,
  spend: () => undefined,
  open: () => {
    throw new Error('a body that is only explained was opened');
  },
});
