import { emptyBody, JsonBody } from '../../src/core/json/body.ts';
import type { Endpoint } from '../../src/core/endpoint.ts';
import type { FormBody } from '../../src/core/http/form.ts';
import type { Call } from '../../src/core/provider.ts';
import mock from '../../plugins/providers/mock/index.ts';
import type { MockSettings } from '../../plugins/providers/mock/settings.ts';
import { callOf } from '../contract/call.ts';

export type Json = Record<string, unknown>;

/** The moment at which the mock is asked where a test doesn't say. Unix seconds. */
export const start = 1_790_000_000;

export interface MockCall extends Partial<Call<MockSettings>> {
  readonly body?: Json;
  /** Seconds after the start. */
  readonly at?: number;
}

/** Asks the mock without a gateway. */
export function ask(endpoint: Endpoint, { body, at = 0, ...overrides }: MockCall = {}) {
  const call: Call<MockSettings> = callOf({
    endpoint,
    model: 'echo',
    createdAt: start + at,
    stream: body?.['stream'] === true,
    ...overrides,
  });
  const translation = mock.operations[endpoint]?.begin(body === undefined ? emptyBody : JsonBody.of(body), call);
  if (translation?.local === undefined) throw new Error(`no ${endpoint}`);
  const { status, headers, pieces } = translation.local(translation.request);
  const bytes = Buffer.concat(pieces.map(({ text }) => (typeof text === 'string' ? Buffer.from(text) : text)));
  return { status, type: headers['content-type'], bytes, text: bytes.toString(), json: () => JSON.parse(bytes.toString()) as Json };
}

/** The error of a refusal. */
export const errorOf = ({ json }: ReturnType<typeof ask>): Json => json()['error'] as Json;

export const rowsOf = (value: Json): Json[] => value['data'] as Json[];

export const byId = (id: unknown) => ({ params: { id: String(id) } });

/** A form as far as the mock looks at it. */
export const form = (fields: Json, file: object | null = { field: 'file', filename: 'a.bin' }): FormBody =>
  ({
    kind: 'form',
    fields: new Map(Object.entries(fields)),
    file: file ?? undefined,
    fileBytes: () => ({ length: 7 }),
  }) as unknown as FormBody;
