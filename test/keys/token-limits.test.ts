import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { audience, type Issuer, issuerName, type IssuerKey, makeKey, startIssuer, tokenOf } from './issuer.ts';

/** Limits of callers with tokens, from the claims to the error. */

let key: IssuerKey;
let issuer: Issuer;
let gateway: TestGateway | undefined;

beforeAll(async () => {
  key = await makeKey('k-1');
  issuer = await startIssuer(key);
});
afterAll(() => issuer.server.close());
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

/** Each request costs 0.3 dollars. */
const yaml = (jwt: string, more = ''): string => `version: 1
providers: {mock: {type: mock}}
pricing: {mock/echo: {input: 100000, output: 200000, currency: USD}}
auth: {jwt: {issuer: "${issuerName}", audience: ${audience}, jwks: "${issuer.jwksUrl}", ${jwt}}}
${more}`;

async function start(text: string, options: Parameters<typeof startTestGateway>[1] = {}): Promise<void> {
  await gateway?.close();
  gateway = await startTestGateway(text, options);
}

async function send(claims: Readonly<Record<string, string>>): Promise<readonly [status: number, message: string | undefined]> {
  const response = await fetch(`${gateway?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': await tokenOf(key, { claims }) },
    body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'x' }] }),
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  return [response.status, error?.message];
}

async function statuses(claims: Readonly<Record<string, string>>, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i += 1) found.push((await send(claims))[0]);
  return found;
}

it('limits next to the issuer apply to each caller, with any of its tokens', async () => {
  await start(yaml('limits: {rate: 2/h}'));
  expect(await statuses({ sub: 'alice' }, 2)).toEqual([200, 200]);
  expect(await send({ sub: 'alice', jti: 'another token' })).toEqual([
    429,
    'Key "jwt:alice" has reached its limit of 2 requests per hour.',
  ]);
  expect(await statuses({ sub: 'bob' }, 2)).toEqual([200, 200]);
});

it('limits of the key that a token names apply to each caller, and not to the key as a whole', async () => {
  const hash = createHash('sha256').update('secret-of-the-key-team').digest('hex');
  await start(yaml('key: team', `api_keys: {team: {hash: "sha256:${hash}", limits: {rate: 2/h}}}`));
  for (const sub of ['alice', 'bob']) expect(await statuses({ sub, team: 'team' }, 3)).toEqual([200, 200, 429]);
});

it('a budget is spent after a restart, also by a caller with a long name, and by nobody else', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'budget-'));
  const spender = { sub: `${'a'.repeat(200)}1` };
  const withCredential = { sub: 'https://user:password@login.example.com/alice' };
  const text = yaml('limits: {budget: 0.5USD/month}');
  try {
    await start(text, { stateDir });
    for (const claims of [spender, withCredential]) expect(await statuses(claims, 3)).toEqual([200, 200, 412]);
    await start(text, { stateDir });
    // One request is accepted if it arrives before the log has been read.
    for (const claims of [spender, withCredential]) await expect.poll(async () => (await send(claims))[0]).toBe(412);
    expect(await statuses({ sub: `${'a'.repeat(200)}2` }, 1)).toEqual([200]);
  } finally {
    await gateway?.close();
    gateway = undefined;
    rmSync(stateDir, { recursive: true, force: true });
  }
});
