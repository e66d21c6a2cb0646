import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/core/endpoint.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { datedVersion, deployments, startAzure } from './azure-upstream.ts';
import { openaiNpm } from './npm-client.ts';
import { mediaModel, startOpenAi } from './openai-upstream.ts';
import { openaiPyPi, python } from './python-client.ts';
import { type Client, expected, media, providerB, type Report, type Surface } from './scenarios.ts';
import { skipping } from '../support/skipping.ts';

const keys = { openai: 'sk-openai-0123456789', azure: 'azure-key-0123456789', team: 'azure-team-0123456789' } as const;
const noPython = 'missing' in python ? python.missing : undefined;

/** Azure OpenAI does not support image variations. */
const unsupported = { thrown: { status: 400, code: 'unsupported_endpoint', param: null } };

const surfaces = {
  openai: { ...expected, ...media },
  dated: { ...expected, ...providerB, ...media, image_variation: unsupported },
  v1: { ...expected, ...providerB, ...media, image_variation: unsupported },
} as const satisfies Record<string, Report>;

const clients: readonly { client: Client; missing: string | undefined }[] = [
  { client: openaiNpm, missing: undefined },
  { client: openaiPyPi, missing: noPython },
];

function catalog(openai: ScriptedUpstream, azure: ScriptedUpstream): string {
  const rows = { lines: { deployment_id: deployments.batch }, voice: { deployment_id: deployments.speech } };
  const provider = { type: 'azure-openai', custom_host: `${azure.url}/openai`, api_key: 'not-this-one', deployments: rows };
  return JSON.stringify({
    version: 1,
    server: { egress: { allow: ['127.0.0.1'] } },
    providers: {
      main: { type: 'openai', api_key: keys.openai, custom_host: `${openai.url}/v1` },
      dated: { ...provider, api_version: datedVersion },
      v1: { ...provider, api_version: 'v1' },
    },
    virtual_keys: {
      'team-openai': { provider: 'main', api_key: keys.openai },
      'team-dated': { provider: 'dated', api_key: keys.azure },
      'team-v1': { provider: 'v1', api_key: keys.azure },
    },
  });
}

for (const { client, missing } of clients) {
  describe.skipIf(skipping(missing))(`files, batches, fine-tuning, audio and images with ${client.name} (${missing ?? 'run'})`, () => {
    let openai: Awaited<ReturnType<typeof startOpenAi>>;
    let azure: Awaited<ReturnType<typeof startAzure>>;
    let gateway: TestGateway;
    let reports: Readonly<Record<string, Report>>;

    beforeAll(async () => {
      openai = await startOpenAi(keys.openai);
      azure = await startAzure(keys.azure);
      gateway = await startTestGateway(catalog(openai, azure));
      const surface = (name: string, virtualKey: string, mediaName: string, lineModel: string): Surface => ({
        name,
        baseUrl: `${gateway.url}/v1`,
        headers: { 'x-gateway-virtual-key': virtualKey },
        mediaModel: mediaName,
        lineModel,
      });
      reports = await client.run([
        surface('openai', 'team-openai', `@team-openai/${mediaModel}`, 'm-text'),
        surface('dated', 'team-dated', '@team-dated/voice', 'lines'),
        surface('v1', 'team-v1', 'voice', '@team-v1/lines'),
      ]);
    });
    afterAll(async () => {
      await gateway?.close();
      await azure?.close();
      await openai?.close();
    });

    describe.each(Object.entries(surfaces))('on %s', (name, all) => {
      it.each(Object.keys(all))('returns or throws the expected result: %s', (scenario) => {
        expect(reports[name]?.[scenario]).toEqual(all[scenario as keyof typeof all]);
      });

      it('reports no other scenarios', () => {
        expect(Object.keys(reports[name] ?? {}).toSorted()).toEqual(Object.keys(all).toSorted());
      });
    });

    it('rejects invalid metadata before any upstream request', () => {
      const sent = [...openai.requests, ...azure.requests].map(({ body }) => body.toString('utf8'));
      expect(sent.filter((text) => text.includes('k16') || text.includes('kkkkk') || text.includes('üüü'))).toEqual([]);
    });

    it('reads the batch and then its file for the output of a batch', () => {
      const paths = (upstream: ScriptedUpstream) => upstream.requests.map(({ method, url }) => `${method} ${url}`);
      const content = paths(azure).findIndex((path) => /^GET \/openai\/files\/file-[^/]*\/content\?api-version=2024-10-21$/.test(path));
      expect(paths(azure)[content - 1]).toMatch(/^GET \/openai\/batches\/batch_\d+\?api-version=2024-10-21$/);
      expect(paths(openai).some((path) => /\/output/.test(path))).toBe(false);
    });

    it('sends no deployment in the path of batches, files and jobs', () => {
      const scoped = azure.requests.filter(({ url }) => url.includes('/deployments/'));
      expect(scoped.length).toBeGreaterThan(0);
      expect(scoped.filter(({ url }) => !/\/deployments\/dep\.speech\/(?:audio|images)\//.test(url))).toEqual([]);
    });

    const usageOf = (endpoint: Endpoint) =>
      gateway.records.filter((record) => record.endpoint === endpoint && record.status === 200).map(({ usage }) => usage);

    it('records the usage of a transcription with and without streaming', () => {
      const read = usageOf('audio/transcriptions').filter(({ source }) => source === 'reported');
      // Text and subtitles contain no usage.
      expect(read).toHaveLength(2 * Object.keys(surfaces).length);
      expect(read.every(({ prompt, audio_in, completion }) => prompt === 14 && audio_in === 14 && completion === 3)).toBe(true);
      expect(usageOf('audio/speech').filter(({ source, completion }) => source === 'reported' && completion === 9)).toHaveLength(3);
    });

    it.each(['batches/{id}', 'batches/list', 'batches/{id}/output', 'fine_tuning/jobs/{id}', 'files/{id}/content'] as const)(
      'records no usage for reading objects: %s',
      (endpoint) => {
        expect(usageOf(endpoint).length).toBeGreaterThan(0);
        expect(new Set(usageOf(endpoint).map(({ source }) => source))).toEqual(new Set(['none']));
      },
    );

    it('returns the type and the code of each error', async () => {
      for (const virtualKey of ['team-openai', 'team-dated', 'team-v1']) {
        for (const path of ['batches/x', 'batches/x/output', 'files/x', 'files/x/content', 'fine_tuning/jobs/x/cancel']) {
          const response = await fetch(`${gateway.url}/v1/${path}`, {
            method: path.endsWith('cancel') ? 'POST' : 'GET',
            headers: { 'x-gateway-virtual-key': virtualKey },
          });
          const { error } = (await response.json()) as { error: Record<string, unknown> };
          expect([path, response.status, typeof error['type'], typeof error['code']]).toEqual([path, 404, 'string', 'string']);
          if (virtualKey !== 'team-openai') expect(error).toMatchObject({ type: 'not_found_error', innererror: { code: 'x' } });
        }
      }
    });

    it('causes no line in the log of the gateway', () => {
      expect(gateway.lines).toEqual([]);
    });
  });
}
