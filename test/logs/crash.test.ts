import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it } from 'vitest';
import { startProcess, type Running } from '../cli/process.ts';
import { until } from '../support/gateway.ts';

/**
 * A gateway that is killed repeatedly under load: each response that a client received completely is stored exactly
 * once. `GATEWAY_TEST_CRASHES=50` for the long run.
 */
const rounds = Number(process.env['GATEWAY_TEST_CRASHES'] ?? 4);
const yaml = 'version: 1\nproviders:\n  mock: {type: mock}\nlogging: {requests: {bodies: full}}\n';

let cwd: string | undefined;
let running: Running | undefined;

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  if (cwd !== undefined) rmSync(cwd, { recursive: true, force: true });
});

async function start(dir: string): Promise<string> {
  running = startProcess(['start', '--listen', '127.0.0.1:0', '--no-admin', '--log-format', 'pretty'], dir, {});
  const [, url = ''] = await running.waitForOutput(/listening {2}(\S+)\/v1[^]*ready in/);
  return url;
}

/** Sends requests until the gateway is killed; adds the id of each complete response. */
async function load(url: string, completedIds: string[]): Promise<void> {
  const client = async (): Promise<void> => {
    for (;;) {
      try {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-gateway-metadata': '{"user":"u1"}' },
          body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'hello '.repeat(20) }] }),
        });
        JSON.parse(await response.text());
        completedIds.push(response.headers.get('x-request-id') ?? '');
      } catch {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
}

it(
  `stores each complete response once, after ${rounds} crashes`,
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'crash-'));
    cwd = dir;
    writeFileSync(join(dir, 'gateway.yaml'), yaml);
    const completedIds: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = completedIds.length;
      const url = await start(dir);
      const loaded = load(url, completedIds);
      await until(() => completedIds.length > before, 'the first response');
      // At any moment of the drain, which runs every 200 ms.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 900));
      running?.child.kill('SIGKILL');
      await Promise.all([loaded, running?.ended]);
    }
    await start(dir);
    running?.child.kill('SIGTERM');
    await running?.ended;
    const db = new DatabaseSync(join(dir, '.gateway/log.sqlite'), { readOnly: true });
    const rows = db.prepare('SELECT id FROM requests').all() as { id: string }[];
    const { counted } = db.prepare("SELECT sum(requests) AS counted FROM buckets WHERE dim = 'all'").get() as { counted: number };
    const { check } = db.prepare('SELECT quick_check AS "check" FROM pragma_quick_check').get() as { check: string };
    db.close();
    const stored = new Map<string, number>();
    for (const { id } of rows) stored.set(id, (stored.get(id) ?? 0) + 1);
    expect(completedIds.filter((id) => stored.get(id) !== 1)).toEqual([]);
    expect([...stored.values()].filter((times) => times > 1)).toEqual([]);
    expect([counted, check]).toEqual([rows.length, 'ok']);
  },
  300_000 + rounds * 30_000,
);
