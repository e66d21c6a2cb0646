import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, get, getBytes, post } from './api.ts';

const broken = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) }), { status: 200 });
const failToConnect = (): never => {
  throw new TypeError('Failed to fetch');
};
const retryNotice = 'The page retries automatically.';

describe('failed call of the dashboard', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  const errorOf = async (respond: () => Response, call: () => Promise<unknown>): Promise<ApiError> => {
    vi.stubGlobal('fetch', async () => respond());
    const fault = await call().catch((error: unknown) => error);
    return fault instanceof ApiError ? fault : expect.fail(String(fault));
  };

  it.each<[string, () => Response, () => Promise<unknown>, string, boolean]>([
    ['the server does not listen', failToConnect, () => get('/api/status'), 'unreachable', true],
    ['the server does not listen to a POST', failToConnect, () => post('/api/reload', {}), 'unreachable', false],
    ['the connection breaks', broken, () => get('/api/status'), 'unreachable', true],
    ['the connection breaks during a POST', broken, () => post('/api/reload', {}), 'unreachable', false],
    ['the connection breaks during a download', broken, () => getBytes('/api/requests/1/body', {}), 'unreachable', true],
    ['a proxy returns 502', () => new Response('<h1>Bad Gateway</h1>', { status: 502 }), () => get('/api/status'), 'unreachable', true],
    [
      'the gateway is stopping',
      () => Response.json({ error: { message: 'Stopping.', code: 'draining' } }, { status: 503 }),
      () => get('/api/status'),
      'draining',
      false,
    ],
    ['a proxy sends an empty page', () => new Response(''), () => get('/api/status'), 'no_json', false],
    ['a proxy sends other JSON', () => new Response('null'), () => get('/api/status'), 'no_json', false],
    ['a proxy asks for a sign-in', () => new Response('<!doctype html>'), () => get('/api/status'), 'no_json', false],
  ])('reports the cause and promises a retry only if the page retries: %s', async (_name, respond, call, code, isRetried) => {
    const { code: actualCode, hint } = await errorOf(respond, call);
    expect([actualCode, hint?.includes(retryNotice) ?? false]).toEqual([code, isRetried]);
  });

  it('is reported if a read gets no response for a long time', async () => {
    vi.useFakeTimers();
    const fetchSilently = (_: string, { signal }: RequestInit): Promise<Response> =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    vi.stubGlobal('fetch', fetchSilently);
    const failed = get('/api/status').catch((error: unknown) => error);
    const stop = new AbortController();
    const stopped = get('/api/status', {}, stop.signal).catch((error: unknown) => error);
    stop.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failed).toMatchObject({ code: 'unreachable' });
    expect(await stopped).not.toBeInstanceOf(ApiError);
  });

  it('is not reported if the page aborted it', async () => {
    const stop = new AbortController();
    vi.stubGlobal('fetch', async () => broken());
    stop.abort(new Error('stopped'));
    await expect(get('/api/status', {}, stop.signal)).rejects.not.toBeInstanceOf(ApiError);
  });
});
