import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, get, getBytes, post } from './api.ts';

const broken = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) }), { status: 200 });
const away = (): never => {
  throw new TypeError('Failed to fetch');
};
const again = 'The page retries automatically.';

describe('a call that fails', () => {
  afterEach(() => void vi.unstubAllGlobals());
  const faultOf = async (respond: () => Response, call: () => Promise<unknown>): Promise<ApiError> => {
    vi.stubGlobal('fetch', async () => respond());
    const fault = await call().catch((error: unknown) => error);
    return fault instanceof ApiError ? fault : expect.fail(String(fault));
  };

  it.each<[string, () => Response, () => Promise<unknown>, string, boolean]>([
    ['nobody listens', away, () => get('/api/status'), 'unreachable', true],
    ['nobody listens to a change', away, () => post('/api/reload', {}), 'unreachable', false],
    ['the connection breaks', broken, () => get('/api/status'), 'unreachable', true],
    ['the connection breaks within a change', broken, () => post('/api/reload', {}), 'unreachable', false],
    ['the connection breaks within a body', broken, () => getBytes('/api/requests/1/body', {}), 'unreachable', true],
    ['a proxy finds nobody', () => new Response('<h1>Bad Gateway</h1>', { status: 502 }), () => get('/api/status'), 'unreachable', true],
    [
      'the gateway is stopping',
      () => Response.json({ error: { message: 'Stopping.', code: 'draining' } }, { status: 503 }),
      () => get('/api/status'),
      'draining',
      false,
    ],
    ['a proxy asks for a sign-in', () => new Response('<!doctype html>'), () => get('/api/status'), 'no_json', false],
  ])('because %s says so, and promises no more than the page does', async (_name, respond, call, code, isCalledAgain) => {
    const { code: found, hint } = await faultOf(respond, call);
    expect([found, hint?.includes(again) ?? false]).toEqual([code, isCalledAgain]);
  });

  it('because the page stopped it is no fault', async () => {
    const stop = new AbortController();
    vi.stubGlobal('fetch', async () => broken());
    stop.abort(new Error('stopped'));
    await expect(get('/api/status', {}, stop.signal)).rejects.not.toBeInstanceOf(ApiError);
  });
});
