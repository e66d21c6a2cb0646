import { describe, expect, it } from 'vitest';
import type { Attempt } from '#core/plan.ts';
import type { Leaf, ProviderBinding } from '#core/snapshot.ts';
import { header, prepare } from '../../test/support/prepare.ts';
import { makeBinding, makeProvider, refusal, signed } from '../../test/support/stage-context.ts';

describe('the upstream credential', () => {
  const emptyCredential = { owner: 'caller', headers: () => [] } as const;
  const keyless: ProviderBinding = makeBinding('keyless', {
    owner: 'caller',
    credential: () => emptyCredential,
    forCaller: (key) => makeBinding('keyless', { owner: 'caller', credential: () => signed('caller', key ?? '') }),
  });
  const sign = (attempt: Attempt) => attempt.upstream && attempt.credential?.headers(attempt.upstream);

  it('is that of the operator even if the client sent one', async () => {
    const { attempt } = await prepare({ headers: { authorization: 'Bearer sk-own' }, caller: { credential: 'sk-own' } });
    expect([attempt.call?.credential, sign(attempt)]).toEqual(['catalog', ['authorization', 'Bearer secret-of-main']]);
    expect(header(attempt, 'authorization')).toBeUndefined();
  });

  it('is that of the client if the provider has none', async () => {
    const { attempt } = await prepare({ binding: keyless, caller: { credential: 'sk-own' } });
    expect([attempt.call?.credential, sign(attempt)]).toEqual(['caller', ['authorization', 'Bearer sk-own']]);
  });

  it('is that of an inline config rather than that of a header', async () => {
    const binding = makeBinding('openai', { ...keyless, credential: () => signed('caller', 'sk-in-config') });
    expect(sign((await prepare({ binding, caller: { credential: 'sk-own' } })).attempt)).toEqual(['authorization', 'Bearer sk-in-config']);
  });

  it('is a token that is fetched, even if the fetch fails later', async () => {
    const failing = { owner: 'caller', headers: () => Promise.reject(new Error('no token')) } as const;
    expect((await prepare({ binding: { ...keyless, credential: () => failing } })).attempt.credential).toBe(failing);
  });

  it('is missing: rejected with 401 if the provider needs one', async () => {
    expect(await refusal(() => prepare({ binding: keyless }))).toMatchObject({ code: 'missing_credential', status: 401 });
  });

  it('is missing: accepted if the provider needs none', async () => {
    const { attempt } = await prepare({ binding: { ...keyless, provider: makeProvider({ entry: { apiKey: 'optional' } }) } });
    expect(sign(attempt)).toEqual([]);
  });

  it.each([
    ['forward_headers of the config', { leaf: { forwardHeaders: ['authorization'] } }],
    ['forward-headers of the request', { extraHeaders: { 'x-gateway-forward-headers': 'Authorization, x-trace' } }],
  ])(
    'is the unchanged header of the client with %s',
    async (_, { leaf, extraHeaders }: { leaf?: Partial<Leaf>; extraHeaders?: Record<string, string> }) => {
      const headers = { authorization: 'Bearer eyJ', 'x-trace': 't', ...extraHeaders };
      const { attempt } = await prepare({ headers, ...(leaf && { leaf }) });
      expect(header(attempt, 'authorization')).toBe('Bearer eyJ');
      expect([attempt.call?.credential, sign(attempt)]).toEqual(['forwarded', []]);
    },
  );

  it.each([
    ['contained the gateway key', { authorization: 'Bearer gw_x' }, ['authorization']],
    ['contains a placeholder', { authorization: 'Bearer OPENAI_API_KEY' }, []],
    ['is absent', {}, []],
  ])('is never that of the operator when authorization is to be forwarded and %s', async (_, headers, consumed) => {
    const error = await refusal(() => prepare({ headers, caller: { consumed }, leaf: { forwardHeaders: ['authorization'] } }));
    expect(error).toMatchObject({ code: 'missing_credential' });
  });
});

describe('forwarded headers', () => {
  it('replace headers of the same name and those of the config', async () => {
    const headers = { 'x-gateway-forward-headers': 'accept', accept: 'text/plain', 'x-other': '1' };
    const { attempt } = await prepare({ headers, leaf: { forwardHeaders: ['x-other'] } });
    expect([header(attempt, 'accept'), header(attempt, 'x-other'), header(attempt, 'content-type')]).toEqual([
      'text/plain',
      undefined,
      'application/json',
    ]);
  });

  it.each([
    'x-gateway-api-key',
    'x-portkey-config',
    'host',
    'connection',
    'Content-Length',
    'transfer-encoding',
    'a,host',
    'x-forwarded-for',
    // A browser sends its gateway key as a subprotocol.
    'Sec-WebSocket-Protocol',
    'sec-websocket-key',
  ])('cannot be %s', async (list) => {
    expect(await refusal(() => prepare({ headers: { 'x-gateway-forward-headers': list } }))).toMatchObject({
      code: 'invalid_header',
      param: 'x-gateway-forward-headers',
    });
  });

  it('of a config never include gateway headers or connection headers', async () => {
    const headers = { 'x-gateway-api-key': 'k', host: 'h', 'content-type': 'x', 'sec-websocket-protocol': 'k', 'x-fine': '1' };
    const { attempt } = await prepare({ headers, leaf: { forwardHeaders: Object.keys(headers) } });
    expect(attempt.upstream?.headers).toEqual(['content-type', 'application/json', 'x-fine', '1']);
  });
});
