import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import type { ScriptedUpstream, SeenRequest } from '../support/upstream.ts';
import { python, runScript } from './python.ts';
import { callerKey, rawOf } from './rig.ts';
import { calls, runNpm } from './surface-npm.ts';
import { routeOf, startSurface } from './surface-upstream.ts';
import { lacking } from '../support/skipping.ts';

/** All routes through both portkey-ai libraries: the calls arrive upstream without a key of the gateway. */

const keys = {
  openai: 'sk-openai-0123456789',
  cloud: 'cloud-key-0123456789',
  team: 'sk-team-0123456789',
  own: 'sk-own-0123456789',
} as const;

/** An access token of Azure: signed by another issuer, and not a key of the gateway. */
const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl';

/** The last upstream request of each call. */
const routes: Readonly<Record<string, string>> = {
  chat: 'POST chat/completions',
  completions: 'POST completions',
  embeddings: 'POST embeddings',
  moderations: 'POST moderations',
  'images.generate': 'POST images/generations',
  'images.edit': 'POST images/edits',
  'images.variation': 'POST images/variations',
  'audio.speech': 'POST audio/speech',
  'audio.transcriptions': 'POST audio/transcriptions',
  'audio.translations': 'POST audio/translations',
  'responses.create': 'POST responses',
  'responses.retrieve': 'GET responses/resp_1',
  'files.create': 'POST files',
  'files.list': 'GET files',
  'files.retrieve': 'GET files/file-1',
  'files.content': 'GET files/file-1/content',
  'files.delete': 'DELETE files/file-1',
  'batches.create': 'POST batches',
  'batches.retrieve': 'GET batches/batch_1',
  'batches.list': 'GET batches',
  'batches.cancel': 'POST batches/batch_1/cancel',
  'batches.output': 'GET files/file-out/content',
  'jobs.create': 'POST fine_tuning/jobs',
  'jobs.list': 'GET fine_tuning/jobs',
  'jobs.retrieve': 'GET fine_tuning/jobs/ftjob-1',
  'jobs.cancel': 'POST fine_tuning/jobs/ftjob-1/cancel',
  'jobs.events': 'GET fine_tuning/jobs/ftjob-1/events',
  'jobs.checkpoints': 'GET fine_tuning/jobs/ftjob-1/checkpoints',
};

interface Way {
  readonly name: string;
  /** Options of the library as in npm; `{upstream}` is replaced by the URL of the provider. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The credential header of every upstream request and its value. */
  readonly signed: readonly [header: string, value: string];
  /** Calls that this provider does not support: they return 501. */
  readonly lacks: readonly string[];
  readonly prefix: RegExp;
}

const traceID = 'trace-of-the-surface';
const bearer = (key: string): readonly [string, string] => ['authorization', `Bearer ${key}`];
const openaiPath = /^\/v1\//;
const cloudPath = /^\/openai\/(?:deployments\/d-1\/)?[a-z]/;
const cloudLacks = ['moderations', 'images.variation'];

const ways: readonly Way[] = [
  { name: 'a virtual key', options: { virtualKey: 'team', traceID }, signed: bearer(keys.team), lacks: [], prefix: openaiPath },
  { name: 'a provider', options: { provider: '@main', traceID }, signed: bearer(keys.openai), lacks: [], prefix: openaiPath },
  {
    name: 'a config',
    options: { config: 'only-main', traceID, strictOpenAiCompliance: true },
    signed: bearer(keys.openai),
    lacks: [],
    prefix: openaiPath,
  },
  {
    name: "the caller's credential and host",
    options: { provider: 'openai', Authorization: `Bearer ${keys.own}`, customHost: '{upstream}/v1', traceID },
    signed: bearer(keys.own),
    lacks: [],
    prefix: openaiPath,
  },
  {
    name: 'a forwarded credential',
    options: { provider: '@main', Authorization: `Bearer ${keys.own}`, forwardHeaders: ['Authorization'], traceID },
    signed: bearer(keys.own),
    lacks: [],
    prefix: openaiPath,
  },
  {
    name: 'a virtual key of Azure OpenAI',
    options: { virtualKey: 'cloud-team', traceID },
    signed: ['api-key', keys.cloud],
    lacks: cloudLacks,
    prefix: cloudPath,
  },
  {
    name: 'a forwarded token for Azure OpenAI',
    options: { provider: '@cloud', Authorization: `Bearer ${token}`, forwardHeaders: ['Authorization'], traceID },
    signed: bearer(token),
    lacks: cloudLacks,
    prefix: cloudPath,
  },
  {
    name: 'a forwarded token for deployments with keys',
    options: { provider: '@keyed', Authorization: `Bearer ${token}`, forwardHeaders: ['Authorization'], traceID },
    signed: bearer(token),
    lacks: cloudLacks,
    prefix: cloudPath,
  },
  {
    name: 'a token of the client and the resource options of Azure OpenAI',
    options: {
      provider: 'azure-openai',
      azureDeploymentId: 'd-1',
      azureApiVersion: '2024-10-21',
      Authorization: `Bearer ${token}`,
      customHost: '{upstream}/openai',
      traceID,
    },
    signed: bearer(token),
    lacks: cloudLacks,
    prefix: cloudPath,
  },
  {
    name: 'the resource options of Azure OpenAI',
    options: {
      provider: 'azure-openai',
      azureResourceName: 'r1',
      azureDeploymentId: 'd-1',
      azureApiVersion: '2024-10-21',
      azureModelName: 'm',
      Authorization: `Bearer ${keys.own}`,
      customHost: '{upstream}/openai',
      traceID,
    },
    signed: ['api-key', keys.own],
    lacks: cloudLacks,
    prefix: cloudPath,
  },
];

/** A separate gateway for each way and library, so that one Python process can run all of them. */
class Stage {
  readonly upstream: ScriptedUpstream;
  readonly gateway: TestGateway;
  readonly way: Way;

  constructor(upstream: ScriptedUpstream, gateway: TestGateway, way: Way) {
    this.upstream = upstream;
    this.gateway = gateway;
    this.way = way;
  }

  static async open(way: Way): Promise<Stage> {
    const upstream = await startSurface();
    return new Stage(upstream, await startTestGateway(catalog(upstream.url)), way);
  }

  get baseUrl(): string {
    return `${this.gateway.url}/v1`;
  }

  get options(): object {
    return JSON.parse(JSON.stringify(this.way.options).replaceAll('{upstream}', this.upstream.url)) as object;
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.upstream.close();
  }
}

/** @param texts the error of each call, '' if it succeeded */
async function expectArrived({ upstream, gateway, way }: Stage, texts: Readonly<Record<string, string>>): Promise<void> {
  const { lacks } = way;
  expect(Object.keys(texts)).toEqual(Object.keys(routes));
  const failed = Object.entries(texts).filter(([, text]) => text !== '');
  expect(failed.filter(([name]) => !lacks.includes(name))).toEqual([]);
  expect(failed.map(([name]) => name)).toEqual(lacks);
  const arrived = new Set(upstream.requests.map(routeOf));
  const expected = Object.keys(routes).filter((name) => !lacks.includes(name));
  expect(expected.filter((name) => !arrived.has(routes[name] ?? ''))).toEqual([]);
  for (const request of upstream.requests) expectClean(request, way);
  await expectRecorded(gateway);
}

/** Some calls are several requests. */
async function expectRecorded({ records }: TestGateway): Promise<void> {
  const recordedCalls = (): Set<unknown> => new Set(records.map(({ metadata }) => metadata['call']));
  await until(() => recordedCalls().size >= Object.keys(routes).length, 'a record of each call');
  expect(recordedCalls()).toEqual(new Set(Object.keys(routes)));
  expect(records.filter(({ trace }) => trace.trace_id !== traceID)).toEqual([]);
}

function catalog(upstream: string): string {
  const hash = `sha256:${createHash('sha256').update(callerKey).digest('hex')}`;
  const deployments = { m: { deployment_id: 'd-1', api_version: '2024-10-21', foundation_model: 'm' } };
  return JSON.stringify({
    version: 1,
    server: { egress: { allow: ['127.0.0.1'] } },
    api_keys: { app: { hash } },
    providers: {
      main: { type: 'openai', api_key: keys.openai, custom_host: `${upstream}/v1` },
      cloud: { type: 'azure-openai', api_key: keys.cloud, custom_host: `${upstream}/openai`, deployments },
      keyed: {
        type: 'azure-openai',
        api_key: keys.cloud,
        custom_host: `${upstream}/openai`,
        deployments: { m: { ...deployments.m, api_key: 'cloud-deployment-key-0123' } },
      },
    },
    virtual_keys: { team: { provider: 'main', api_key: keys.team }, 'cloud-team': { provider: 'cloud' } },
    configs: { 'only-main': { provider: 'main' } },
  });
}

function expectClean(request: SeenRequest, { signed: [header, value], prefix }: Way): void {
  const raw = rawOf(request);
  expect(raw, routeOf(request)).not.toContain(callerKey);
  expect(raw, routeOf(request)).not.toMatch(/x-(?:gateway|portkey)-|dummy|OPENAI_API_KEY/i);
  const credentials = ['authorization', 'api-key', 'x-api-key', 'cookie'].filter((name) => request.headers[name] !== undefined);
  expect([routeOf(request), credentials, request.headers[header]]).toEqual([routeOf(request), [header], value]);
  expect(request.url).toMatch(prefix);
}

/** PyPI spells its options with underscores, except for the header that keeps its name. */
const snake = (options: object): object =>
  Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key === 'Authorization' ? key : key.replace('ID', 'Id').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

it('npm and PyPI make the same calls, and each has an expected upstream route', () => {
  expect(Object.keys(calls)).toEqual(Object.keys(routes));
});

describe('npm portkey-ai', () => {
  it.each(ways)('makes every call with $name', async (way) => {
    const stage = await Stage.open(way);
    try {
      await expectArrived(stage, await runNpm(stage.baseUrl, callerKey, stage.options));
    } finally {
      await stage.close();
    }
  });
});

describe.skipIf(lacking(python))('PyPI portkey-ai', () => {
  const stages: Stage[] = [];
  const texts: Record<string, string>[] = [];
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'surface-'));
    for (const way of ways) stages.push(await Stage.open(way));
    const sent = stages.map((stage) => ({ base_url: stage.baseUrl, options: snake(stage.options) }));
    const command = 'python' in python ? python.python : '';
    texts.push(...(JSON.parse(await runScript(command, ['./surface-client.py', callerKey, JSON.stringify(sent), folder])) as typeof texts));
  });

  afterAll(async () => {
    for (const stage of stages) await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(ways.map((way, index) => ({ ...way, index })))('makes every call with $name', async ({ index }) => {
    await expectArrived(stages[index] as Stage, texts[index] ?? {});
  });
});
