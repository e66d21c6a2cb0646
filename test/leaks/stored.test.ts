import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminUrl, call } from '../admin/client.ts';
import { runHere } from '../cli/in-process.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { confidentialYaml, confidentialIn, sendAll, startEcho } from './confidential.ts';
import { filesBelow } from './sinks.ts';

/**
 * Confidential values of users, in requests of every form, echoed by providers in responses, streams and errors of every
 * form: then a search through everything that the gateway stores or shows with the default policy.
 */

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  upstream = await startEcho();
  gateway = await startTestGateway(confidentialYaml(upstream.url), { admin: true });
  token = readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim();
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** Retries if the listener limits the number of calls per second. */
async function admin(path: string): Promise<string> {
  for (;;) {
    const { status, text } = await call(adminUrl(gateway), path, { token });
    if (status !== 429) return text;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

describe('stored and shown data with default settings', () => {
  it('contains no confidential value of users and providers', async () => {
    const ids = await sendAll(gateway.url);
    expect(ids.length).toBeGreaterThan(90);
    const stored = async (): Promise<string> => admin(`/api/requests/${ids.at(-1) ?? ''}`);
    await until(async () => (await stored()).includes('"record"'), 'the last record');
    const leaks: string[] = [];
    const checkSink = (sink: string, text: string): void => {
      leaks.push(...confidentialIn(text).map((part) => `${sink}: ${part}`));
    };

    // The saved configuration contains what the operator wrote into it.
    for (const [path, text] of filesBelow(join(gateway.dir, '.gateway'))) if (!path.includes('last-good')) checkSink(path, text);
    for (const path of [
      '/metrics',
      '/api/status',
      '/api/requests?limit=500',
      '/api/stats?by=meta.note',
      '/api/names',
      '/api/suggest?text=meta.note:',
      '/healthz',
      '/readyz',
    ])
      checkSink(path, await admin(path));
    for (const id of ids) {
      checkSink(id, await admin(`/api/requests/${id}`));
      for (const part of ['request', 'upstream', 'response'])
        checkSink(`${id} ${part}`, await admin(`/api/requests/${id}/body?part=${part}`));
      checkSink(`${id} differences`, await admin(`/api/requests/${id}/differences`));
    }
    const env = { GATEWAY_ADMIN: adminUrl(gateway), GATEWAY_ADMIN_TOKEN: token };
    for (const args of [
      ['export'],
      ['export', '--full'],
      ['export', '--format', 'csv'],
      ['search'],
      ['stats', '--by', 'error'],
      ['show', ids[0] ?? '', '--body', '--upstream', '--diff'],
    ]) {
      const { out, err } = await runHere(['logs', ...args], gateway.dir, { env });
      checkSink(`logs ${args.join(' ')}`, out + err);
    }
    expect([...new Set(leaks)]).toEqual([]);
    // The search would find them: the other parts of the same bodies are there.
    expect(await admin(`/api/requests/${ids[0] ?? ''}/body?part=request`)).toContain(
      '[email] , [phone] , [credit_card] , [iban] , [secret]',
    );
    expect(await admin(`/api/requests/${ids[0] ?? ''}/body?part=response`)).toContain('[email]');
  });
});
