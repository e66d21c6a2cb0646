import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SigV4 } from '../../src/transport/credentials/aws/sigv4.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type Script, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';

/** Every auth mode through the whole gateway: the service checks each signature, and the credential sources are test servers. */

/** Secret keys by their ids. */
const secrets: Readonly<Record<string, string>> = {
  AKIAOWN: 'own/secret+1',
  AKIACALLER: 'callers-secret',
  ASIA1: 'role-secret-1',
  ASIA2: 'role-secret-2',
};
const converseResponse = {
  output: { message: { role: 'assistant', content: [{ text: 'yes' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1 },
};
const model = 'arn:aws:bedrock:eu-west-1:1:inference-profile/eu.x-v1:0';

let service: ScriptedUpstream;
let source: ScriptedUpstream;
let gateway: TestGateway | undefined;
let folder: string;
/** Number of keys that roles got. */
let issuedKeys: number;

/** The key that signed a request correctly; undefined if none did. */
function signer({ method, url, headers, body }: SeenRequest): string | undefined {
  const [, id = '', region = ''] = /Credential=(\w+)\/\d+\/([\w-]+)\/bedrock/.exec(headers.authorization ?? '') ?? [];
  const token = headers['x-amz-security-token'];
  const at = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(String(headers['x-amz-date']));
  if (at === null) return undefined;
  const now = Date.UTC(Number(at[1]), Number(at[2]) - 1, Number(at[3]), Number(at[4]), Number(at[5]), Number(at[6]));
  const keys = { accessKeyId: id, secretAccessKey: secrets[id] ?? '', sessionToken: token === undefined ? undefined : String(token) };
  const signable = { method, host: headers.host ?? '', path: url, headers: ['content-type', 'application/json'], body };
  const isRight = new SigV4(keys, { region, service: 'bedrock' }).sign(signable, now).at(-1) === headers.authorization;
  return isRight && Math.abs(now - Date.now()) < 60_000 ? `${id} ${region} ${String(token)}` : undefined;
}

const accept: Script = (response, request) =>
  signer(request) === undefined ? json(response, 403, { message: 'bad signature' }) : json(response, 200, converseResponse);
const keys = (): object => {
  issuedKeys += 1;
  return {
    AccessKeyId: `ASIA${issuedKeys}`,
    SecretAccessKey: secrets[`ASIA${issuedKeys}`],
    Token: `T${issuedKeys}`,
    SessionToken: `T${issuedKeys}`,
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  };
};

/** STS, the container agent and the instance metadata service in one. */
const sources: Script = (response, { method, url, headers }) => {
  if (url.startsWith('/sts')) return json(response, 200, { AssumeRoleWithWebIdentityResponse: { Result: { Credentials: keys() } } });
  if (url === '/container' && headers.authorization === 'pod-token') return json(response, 200, keys());
  if (method === 'PUT' || url.endsWith('security-credentials/'))
    return void response.writeHead(200).end(method === 'PUT' ? 'session' : 'role');
  if (url.endsWith('/role') && headers['x-aws-ec2-metadata-token'] === 'session') return json(response, 200, keys());
  return json(response, 400, {});
};

beforeEach(async () => {
  issuedKeys = 0;
  service = await startUpstream(accept);
  source = await startUpstream(sources);
  folder = await mkdtemp(join(tmpdir(), 'bedrock-credentials-'));
  await writeFile(join(folder, 'token'), 'web-token');
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await Promise.all([service.close(), source.close(), rm(folder, { recursive: true })]);
});

async function start(entry: object, env: Record<string, string> = {}, more: object = {}): Promise<void> {
  const aws = { type: 'bedrock', region: 'eu-west-1', custom_host: service.url, ...entry };
  const config = { version: 1, server: { egress: { allow: ['127.0.0.1'] } }, providers: { aws }, ...more };
  gateway = await startTestGateway(JSON.stringify(config), { env });
}

async function send(headers: Record<string, string> = { 'x-gateway-provider': '@aws' }): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi ü' }] }),
  });
  return { status: response.status, text: await response.text() };
}

const signed = (): (string | undefined)[] => service.requests.map(signer);

describe('a machine whose clock is wrong', () => {
  const text = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  /** The service's own check, with a clock that differs from this machine's. */
  const serveAt =
    (offset: number): Script =>
    (response, request) => {
      const at = String(request.headers['x-amz-date']);
      const signedAt = Date.parse(at.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
      const now = Date.now() + offset;
      const isLate = signedAt < now - 300_000;
      if (!isLate && signedAt <= now + 300_000) return json(response, 200, converseResponse);
      const limit = `${text(isLate ? now - 300_000 : now + 300_000)} (${text(now)} ${isLate ? '-' : '+'} 5 min.)`;
      const message = isLate
        ? `Signature expired: ${at} is now earlier than ${limit}`
        : `Signature not yet current: ${at} is still later than ${limit}`;
      return json(response, 403, { message }, { 'x-amzn-errortype': 'InvalidSignatureException' });
    };

  it.each([
    ['behind', 600_000, { access_key_id: 'AKIAOWN', secret_access_key: secrets['AKIAOWN'] }],
    ['ahead', -600_000, { access_key_id: 'AKIAOWN', secret_access_key: secrets['AKIAOWN'] }],
    ['behind, with a role', 600_000, { auth: { mode: 'container' } }],
  ])('signs with the time of the service after its first error: %s', async (_, offset, entry) => {
    service.script = serveAt(offset);
    await start(entry, { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${source.url}/container`, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'pod-token' });
    expect([(await send()).status, service.requests.length]).toEqual([200, 2]);
    expect([(await send()).status, service.requests.length]).toEqual([200, 3]);
    expect(issuedKeys).toBe('auth' in entry ? 1 : 0);
    // The clock of the machine was corrected.
    service.script = serveAt(0);
    expect([(await send()).status, service.requests.length]).toEqual([200, 5]);
  });

  it('is not corrected twice for one request', async () => {
    await start({ access_key_id: 'AKIAOWN', secret_access_key: secrets['AKIAOWN'] });
    service.script = (response, request, count) => serveAt(count * 3_600_000)(response, request, count);
    expect([(await send()).status, service.requests.length]).toEqual([502, 2]);
  });
});

describe('an access key', () => {
  it.each([
    [{}, 'undefined'],
    [{ session_token: 'own-token' }, 'own-token'],
  ])('of the provider signs requests: %j', async (more, token) => {
    await start({ access_key_id: 'AKIAOWN', secret_access_key: secrets['AKIAOWN'], ...more });
    expect((await send()).status).toBe(200);
    expect(signed()).toEqual([`AKIAOWN eu-west-1 ${token}`]);
    expect(service.requests[0]?.url).toBe(`/model/${encodeURIComponent(model)}/converse`);
  });

  it('of a request signs for the region of the request', async () => {
    await start({ api_key: 'k' });
    const headers = {
      'x-gateway-provider': 'bedrock',
      'x-gateway-custom-host': service.url,
      'x-gateway-aws-region': 'us-west-2',
      'x-gateway-aws-access-key-id': 'AKIACALLER',
      'x-gateway-aws-secret-access-key': secrets['AKIACALLER'] ?? '',
    };
    expect((await send(headers)).status).toBe(200);
    expect(signed()).toEqual(['AKIACALLER us-west-2 undefined']);
    const { 'x-gateway-aws-access-key-id': _id, ...half } = headers;
    expect(await send(half)).toMatchObject({ status: 401, text: expect.stringContaining('access_key_id is missing') as string });
    expect(await send({ ...headers, 'x-gateway-aws-auth-type': 'assumedRole' })).toMatchObject({
      status: 403,
      text: expect.stringContaining('not_allowed') as string,
    });
    expect(service.requests.length).toBe(1);
  });

  it.each(['x-amz-date', 'x-amz-security-token', 'x-amzn-bedrock-guardrailidentifier'])(
    'of the configuration causes a 403 if a request sets %s',
    async (name) => {
      await start({ access_key_id: 'AKIAOPERATOR', secret_access_key: 'operator-secret-0123456789' });
      expect(await send({ 'x-gateway-provider': '@aws', [name]: 'caller', 'x-gateway-forward-headers': name })).toMatchObject({
        status: 403,
        text: expect.stringContaining('not_allowed') as string,
      });
      expect(service.requests.length).toBe(0);
    },
  );

  it.each([
    ['of a virtual key', { api_key: 'bedrock-api-key' }, {}],
    ['of the client', { auth: { mode: 'caller' } }, { authorization: 'Bearer bedrock-api-key' }],
  ])('is replaced completely by an API key %s', async (_, credential, sent) => {
    service.script = (response) => json(response, 200, converseResponse);
    const callerCredentials = { access_key_id: 'AKIAOWN', secret_access_key: secrets['AKIAOWN'], session_token: 'own-token' };
    await start(callerCredentials, {}, { virtual_keys: { team: { provider: 'aws', ...credential } } });
    expect(await send({ 'x-gateway-virtual-key': 'team', ...sent })).toMatchObject({ status: 200 });
    expect(service.requests[0]?.headers.authorization).toBe('Bearer bedrock-api-key');
  });

  it('is not needed with an API key, which is sent as bearer token', async () => {
    service.script = (response) => json(response, 200, converseResponse);
    await start({ api_key: 'bedrock-api-key' });
    expect((await send()).status).toBe(200);
    expect(service.requests[0]?.headers.authorization).toBe('Bearer bedrock-api-key');
    expect(service.requests[0]?.headers['x-amz-date']).toBeUndefined();
  });
});

describe('the role', () => {
  const rows: readonly (readonly [name: string, entry: () => object, env: () => Record<string, string>])[] = [
    [
      'of a cluster from environment variables',
      () => ({ auth: { mode: 'web_identity' } }),
      () => ({
        AWS_ROLE_ARN: 'arn:aws:iam::1:role/r',
        AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
        AWS_ENDPOINT_URL_STS: `${source.url}/sts`,
      }),
    ],
    [
      'of a cluster from the configuration',
      () => ({ auth: { mode: 'irsa', role_arn: 'r', token_file: join(folder, 'token'), sts_endpoint: `${source.url}/sts` } }),
      () => ({}),
    ],
    [
      'of a pod',
      () => ({ auth: { mode: 'container' } }),
      () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${source.url}/container`, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'pod-token' }),
    ],
    ['of an instance', () => ({ auth: { mode: 'instance' } }), () => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: source.url })],
  ];

  it.each(rows)('%s signs requests with keys that are fetched once', async (_name, entry, env) => {
    await start(entry(), env());
    expect((await Promise.all([send(), send()])).map(({ status }) => status)).toEqual([200, 200]);
    expect((await send()).status).toBe(200);
    expect(signed()).toEqual([1, 2, 3].map(() => 'ASIA1 eu-west-1 T1'));
    expect(issuedKeys).toBe(1);
  });

  it('gets new keys once after they are rejected as expired', async () => {
    await start({ auth: { mode: 'instance' } }, { AWS_EC2_METADATA_SERVICE_ENDPOINT: source.url });
    service.script = (response, request, nth) =>
      signer(request)?.startsWith('ASIA1') === true
        ? json(response, 403, { message: 'The security token included in the request is expired' })
        : accept(response, request, nth);
    expect((await send()).status).toBe(200);
    expect(signed()).toEqual(['ASIA1 eu-west-1 T1', 'ASIA2 eu-west-1 T2']);
    // Another error does not mean that the keys are expired.
    service.script = (response) => json(response, 403, { message: 'You don’t have access to the model.' });
    await send();
    expect(issuedKeys).toBe(2);
  });

  it('causes a 502 with the reason and without secrets if it has no keys', async () => {
    source.script = (response) =>
      json(response, 403, { Error: { Code: 'AccessDenied', Message: 'Not authorized to perform sts:AssumeRoleWithWebIdentity' } });
    await start({ auth: { mode: 'web_identity', role_arn: 'r', token_file: join(folder, 'token'), sts_endpoint: `${source.url}/sts` } });
    const { status, text } = await send();
    expect(status).toBe(502);
    expect(text).toContain('provider_auth_failed');
    expect(text).not.toContain('web-token');
    expect(service.requests).toEqual([]);
  });
});
