import { emptyBody, type EmptyBody, JsonBody } from '../../src/core/json/body.ts';
import { traitsOf } from '../../src/core/endpoint.ts';
import type { FormBody } from '../../src/core/http/form.ts';
import type { Call, CommonSettings, Provider, Translation } from '../../src/core/provider.ts';

/** A call with default values, to get the request that a provider would send. */
export function callOf(overrides: Partial<Call<CommonSettings>> = {}): Call<CommonSettings> {
  return {
    endpoint: 'chat/completions',
    method: 'POST',
    settings: {},
    model: 'model-1',
    deployment: undefined,
    foundationModel: undefined,
    strict: true,
    stream: false,
    includeUsage: false,
    params: {},
    query: '',
    header: () => undefined,
    form: undefined,
    credential: 'catalog',
    media: new Map(),
    id: 'req_1',
    createdAt: 1_767_312_000,
    ...overrides,
  };
}

/** A body that every JSON route accepts. */
const anything = { messages: [{ role: 'user', content: 'hi' }], input: 'hi', prompt: 'hi' };

/** An attempt that is not sent. */
export function begin(provider: Provider, call: Call<CommonSettings>, body?: JsonBody | EmptyBody): Translation {
  const operation = provider.operations[call.endpoint];
  if (operation === undefined) throw new Error(`${provider.type} has no ${call.endpoint}`);
  const usual = traitsOf(call.endpoint).body === 'json' ? JsonBody.of({ model: call.model, ...anything }) : emptyBody;
  return operation.begin(body ?? usual, call);
}

/** A form with a JSONL file, which no test reads. */
export function formOf(fields: Readonly<Record<string, string>>): FormBody {
  const unread = () => {
    throw new Error('a provider read the form');
  };
  return {
    kind: 'form',
    contentType: 'multipart/form-data; boundary=b',
    fields: new Map(Object.entries(fields)),
    partsRead: Object.entries(fields).map(([name, text]) => ({ name, isFile: false, text })),
    ambiguity: undefined,
    file: { field: 'file', filename: 'a.jsonl', contentType: 'application/jsonl' },
    size: 100,
    received: 100,
    isBuffered: true,
    isSpent: false,
    buffer: () => Promise.resolve(),
    contents: unread,
    open: unread,
    edited: unread,
    fileBytes: unread,
  };
}
