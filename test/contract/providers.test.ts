import { Buffer } from 'node:buffer';
import { emptyBody, JsonBody } from '../../src/core/json/body.ts';
import { type Endpoint, traitsOf } from '../../src/core/endpoint.ts';
import { GatewayError } from '../../src/core/error.ts';
import type { Call, CommonSettings, Operation, Provider, UpstreamRequest } from '../../src/core/provider.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { providers, stages } from '../../plugins/index.ts';
import { providerCommon } from '../../src/config/schema/catalog.ts';
import { pluginEntries } from '../../src/config/schema/plugins.ts';
import { callOf, formOf } from './call.ts';
import { type Sample, samples } from './samples.ts';

const secret = 'sk-live-0123456789';

/** Names that try to escape from the path, and normal names. */
const name = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '../../admin',
    'a/b',
    'a\\b',
    'a%2Fb',
    '?x=1',
    '#x',
    'a b',
    '@evil.example',
    '//evil.example',
    'ü-模型',
    '\ud800',
    'a\r\nx: y',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.stringMatching(/^[a-z0-9.:_-]{1,30}$/),
);

const schemaCompiler = (): Ajv2020 => new Ajv2020({ strict: false, allErrors: true });

describe('provider and plugin lists', () => {
  it('the documented default order of plugins is the order of the stages', () => {
    expect(pluginEntries.description).toContain(`The default is ${stages.map((stage) => stage.name).join(', ')}.`);
  });

  it('each provider type and alias is unique', () => {
    const names = providers.flatMap((provider) => [provider.type, ...provider.aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const one of names) expect(one).toMatch(/^[a-z][a-z0-9-]*$/);
  });

  it('each provider has a sample', () => {
    expect(Object.keys(samples).sort()).toEqual(providers.map((provider) => provider.type).sort());
  });
});

describe.each(providers.map((provider) => [provider.type, provider] as const))('provider %s', (type, provider) => {
  const cases = samples[type] ?? [];
  const calls = cases.flatMap((sample) =>
    Object.entries(provider.operations).map(([endpoint, operation]) => ({ sample, endpoint: endpoint as Endpoint, operation })),
  );

  it('describes its settings with a valid schema that repeats no common key', () => {
    const schema = provider.entry.settings as { properties?: Record<string, unknown> };
    expect(() => schemaCompiler().compile(schema)).not.toThrow();
    expect(Object.keys(schema.properties ?? {}).filter((key) => key in providerCommon.properties)).toEqual([]);
  });

  it('accepts its samples', () => {
    const schema = { ...provider.entry.settings, additionalProperties: true };
    for (const { name: title, settings } of cases) {
      const validate = schemaCompiler().compile(schema);
      expect(validate(settings), title).toBe(true);
      expect(
        (provider.entry.check?.(settings) ?? []).filter(({ severity }) => severity !== 'warning'),
        title,
      ).toEqual([]);
    }
  });

  it('names only settings of its schema as request settings, each once', () => {
    const known = Object.keys((provider.entry.settings as { properties?: Record<string, unknown> }).properties ?? {});
    for (const { setting, headers, keys } of provider.entry.requestSettings) {
      expect(known).toContain(setting);
      expect(headers.every((header) => header === header.toLowerCase())).toBe(true);
      expect(keys).toContain(setting);
    }
    const headers = provider.entry.requestSettings.flatMap((row) => row.headers);
    expect(new Set(headers).size).toBe(headers.length);
  });

  it.each(calls.map((one) => [`${one.endpoint} (${one.sample.name})`, one] as const))(
    '%s: sends the request to its own host and does not modify its input',
    (_title, { sample, endpoint, operation }) => {
      const call = freeze(makeCall(provider, sample, endpoint, {}));
      const body = bodyFor({ endpoint, operation });
      const before = body.kind === 'json' ? body.bytes().toString() : '';
      const translation = attempt(() => operation.begin(body, call));
      const first = translation?.request;
      // Some endpoints that store data are rejected: the error is the same each time.
      if (first === undefined) expect(traitsOf(endpoint).state).toBeDefined();
      const second = attempt(() => operation.begin(body, call).request);
      expect(second && plain(second)).toEqual(first && plain(first));
      expect(body.kind === 'json' ? body.bytes().toString() : '').toBe(before);
      if (translation === undefined || first === undefined) return;
      expectInside(first, sample);
      expect(headerNames(first)).toEqual([...new Set(headerNames(first))]);
      // Converted requests may use another method and body; some requests are never sent.
      const isConverted = translation.result !== undefined || translation.then !== undefined;
      if (!isConverted) expect(first.method).toBe(call.method);
      if (!isConverted) expect(first.body.kind).toBe(call.form?.kind ?? body.kind);
      if (first.body.kind === 'json' && translation.local === undefined) expect(headerNames(first)).toContain('content-type');
    },
  );

  it('keeps any model, id and query inside the base path', () => {
    fc.assert(
      fc.property(
        name,
        name,
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.constantFrom(...calls),
        (model, id, query, { sample, endpoint, operation }) => {
          const call = makeCall(provider, sample, endpoint, { model, params: { id }, query });
          const request = attempt(() => operation.begin(bodyFor({ endpoint, operation }), call).request);
          if (request !== undefined) expectInside(request, sample);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('keeps any relayed path inside the base path', () => {
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 5 }),
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.constantFrom(...cases),
        (parts, query, sample) => {
          const address = attempt(() => provider.relay?.(makeCall(provider, sample, 'relay', { query }), `/v1/${parts.join('/')}`));
          if (address !== undefined) expectInside(address, sample);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('sends no credential in the URL', () => {
    for (const { sample, endpoint, operation } of calls) {
      const request = attempt(() => operation.begin(bodyFor({ endpoint, operation }), makeCall(provider, sample, endpoint, {})).request);
      if (request === undefined) continue;
      const spec = provider.entry.credential(sample.settings, secret);
      expect(`${request.origin}${request.path}`).not.toMatch(/sk-/);
      expect(headerNames(request)).not.toContain('authorization');
      if (provider.entry.apiKey !== 'none') expect(JSON.stringify(spec)).toContain(secret);
      expect(JSON.stringify(provider.entry.credential(sample.settings, undefined))).toBe('{"scheme":"none"}');
    }
  });

  it('reads any error body without an exception', () => {
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('utf8')),
      errorLike,
    );
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), body, (status, text) => {
        const fault = provider.fault(status, text);
        expect(typeof fault.message).toBe('string');
        expect(fault.message).not.toBe('');
      }),
    );
  });

  it('reads any response without an exception', () => {
    const text = fc.oneof(fc.string(), fc.json(), chunkLike);
    fc.assert(
      fc.property(
        fc.constantFrom(...calls),
        fc.array(fc.record({ name: fc.constantFrom('', 'error', 'response.completed'), data: text }), { maxLength: 8 }),
        text,
        (one, events, whole) => {
          const call = makeCall(provider, one.sample, one.endpoint, { params: { id: 'x' } });
          const watching = () => attempt(() => one.operation.begin(bodyFor(one), call))?.tap;
          const tap = watching();
          if (tap === undefined) return;
          for (const event of events) expect(['meta', 'content', 'end', 'fault']).toContain(tap.event(event));
          watching()?.whole(whole);
          expect(tap.usage === undefined || tap.usage.prompt >= 0).toBe(true);
          expect(tap.finish.every((reason) => typeof reason === 'string')).toBe(true);
        },
      ),
    );
  });
});

const errorLike = fc
  .record({
    error: fc.oneof(fc.string(), fc.record({ message: fc.anything(), code: fc.anything(), type: fc.anything(), param: fc.anything() })),
  })
  .map((value) => {
    try {
      return JSON.stringify(value) ?? '';
    } catch {
      return '';
    }
  });

const chunkLike = fc
  .record({
    id: fc.jsonValue(),
    error: fc.option(fc.jsonValue()),
    usage: fc.jsonValue(),
    choices: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ index: fc.jsonValue(), delta: fc.jsonValue(), finish_reason: fc.jsonValue() }), { maxLength: 3 }),
    ),
  })
  .map((value) => JSON.stringify(value));

type ACall = Call<CommonSettings>;

function makeCall(provider: Provider, sample: Sample, endpoint: Endpoint, overrides: Partial<ACall>): ACall {
  const [[method, path] = ['POST', '']] = traitsOf(endpoint).routes;
  const isForm = traitsOf(endpoint).body === 'form' && provider.operations[endpoint]?.fromForm === undefined;
  const form = isForm ? formOf({ model: '@slug/model-1', purpose: 'batch', prompt: 'hi' }) : undefined;
  const params = { id: sample.ids?.[path.split('/')[0] ?? ''] ?? 'resp_1' };
  const model = sample.models?.[endpoint] ?? 'model-1';
  const call = callOf({ endpoint, method, settings: sample.settings, model, params, form, ...overrides });
  const chosen = attempt(() => provider.entry.deployment?.(call.settings, call.model));
  if (chosen === undefined || chosen instanceof GatewayError) return call;
  return { ...call, deployment: chosen.settings, model: chosen.model };
}

/** A body that any JSON route accepts. */
const anyBody = {
  model: '@slug/model-1',
  messages: [{ role: 'user', content: 'hi' }],
  input: 'hi',
  prompt: 'hi',
  images: [{ image_url: 'data:image/png;base64,AA==' }],
  input_file_id: 'gs://acme-files/gateway/files/a.jsonl',
  training_file: 'gs://acme-files/gateway/files/a.jsonl',
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
};

const bodyFor = ({ endpoint, operation }: { readonly endpoint: Endpoint; readonly operation: Operation }) =>
  traitsOf(endpoint).body === 'json' || operation.fromForm !== undefined ? JsonBody.of(anyBody) : emptyBody;

/** A GatewayError is a valid result for a bad name; any other exception is a defect. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** Parsed like a server does: the host is the sample's, and the path is inside the base path. */
function expectInside(request: { readonly origin: string; readonly path: string }, sample: Sample): void {
  expect(request.path).toMatch(/^\/[\x21-\x7e]*$/);
  expect(request.path).not.toContain('#');
  const url = new URL(`${request.origin}${request.path}`);
  const { origin, base } = request.origin === sample.storage?.origin ? sample.storage : sample;
  expect(url.origin).toBe(origin);
  expect(url.origin).toBe(request.origin);
  expect(url.pathname.startsWith(base) || `${url.pathname}/` === base).toBe(true);
  expect(url.pathname).not.toContain('/openai/openai');
}

const headerNames = (request: UpstreamRequest): string[] => request.headers.filter((_, index) => index % 2 === 0);

const plain = (request: UpstreamRequest) => ({ ...request, body: request.body.kind === 'json' ? request.body.bytes().toString() : '' });

function freeze(call: ACall): ACall {
  for (const value of Object.values(call)) if (typeof value === 'object' && value !== null) Object.freeze(value);
  return Object.freeze(call);
}
