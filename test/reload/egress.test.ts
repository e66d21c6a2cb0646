import { afterEach, describe, expect, it } from 'vitest';
import { chat, type Rig, startRig } from '../faults/rig.ts';
import { completeResponse, writeAll } from '../faults/wire.ts';
import { completion } from '../support/upstream.ts';
import { until } from '../support/gateway.ts';

let rig: Rig;
afterEach(() => rig.close());

describe.each([true, false])('a reload that changes server.egress.allow, with fast_path: %s', (fast) => {
  it('closes idle connections of requests if it removes an entry', async () => {
    const allow = (list: readonly string[]): Readonly<Record<string, unknown>> => ({ egress: { allow: list }, fast_path: fast });
    rig = await startRig({ server: allow(['127.0.0.1', 'a.example.com']) });
    rig.wire.script = (socket) => writeAll(socket, completeResponse(200, 'application/json', JSON.stringify(completion('x'))));
    const config = JSON.stringify({ provider: 'openai', api_key: 'sk-key-of-a-request-0123', custom_host: `${rig.wire.url}/v1` });
    const send = async (): Promise<unknown[]> => {
      const { status } = await rig.sendAndRead(chat, { 'x-gateway-config': config });
      return [status, rig.wire.sockets.size];
    };
    const reload = async (list: readonly string[]): Promise<void> => {
      const providers = { a: { type: 'openai', api_key: 'sk-key-of-provider-a-0123' } };
      await rig.gateway.write(JSON.stringify({ version: 1, server: { state_dir: 'memory', ...allow(list) }, providers }));
      expect((await rig.gateway.gateway.reload()).type).toBe('reloaded');
    };
    expect(await send()).toEqual([200, 1]);
    const [kept] = rig.wire.sockets;
    await reload(['127.0.0.1', 'a.example.com', 'b.example.com']);
    expect([await send(), rig.wire.sockets.has(kept as never)]).toEqual([[200, 1], true]);
    await reload(['a.example.com', 'b.example.com']);
    await until(() => rig.wire.sockets.size === 0, 'the connection to be closed');
    expect(await send()).toEqual([403, 0]);
  });
});
