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

/** Azure OpenAI has no variations of images. */
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
  describe.skipIf(skipping(missing))(`files, batches, fine-tuning, sound and pictures with ${client.name} (${missing ?? 'run'})`, () => {
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
      it.each(Object.keys(all))('tells its user what is to be told: %s', (scenario) => {
        expect(reports[name]?.[scenario]).toEqual(all[scenario as keyof typeof all]);
      });

      it('reports nothing but these', () => {
        expect(Object.keys(reports[name] ?? {}).toSorted()).toEqual(Object.keys(all).toSorted());
      });
    });

    it('refuses metadata before anything is sent', () => {
      const sent = [...openai.requests, ...azure.requests].map(({ body }) => body.toString('utf8'));
      expect(sent.filter((text) => text.includes('k16') || text.includes('kkkkk') || text.includes('üüü'))).toEqual([]);
    });

    it('reads the batch, then its file, for an output', () => {
      const paths = (upstream: ScriptedUpstream) => upstream.requests.map(({ method, url }) => `${method} ${url}`);
      const content = paths(azure).findIndex((path) => /^GET \/openai\/files\/file-[^/]*\/content\?api-version=2024-10-21$/.test(path));
      expect(paths(azure)[content - 1]).toMatch(/^GET \/openai\/batches\/batch_\d+\?api-version=2024-10-21$/);
      expect(paths(openai).some((path) => /\/output/.test(path))).toBe(false);
    });

    it('never puts a deployment into the path of batches, files and jobs', () => {
      const scoped = azure.requests.filter(({ url }) => url.includes('/deployments/'));
      expect(scoped.length).toBeGreaterThan(0);
      expect(scoped.filter(({ url }) => !/\/deployments\/dep\.speech\/(?:audio|images)\//.test(url))).toEqual([]);
    });

    const usageOf = (endpoint: Endpoint) =>
      gateway.records.filter((record) => record.endpoint === endpoint && record.status === 200).map(({ usage }) => usage);

    it('counts what a transcript used, as a whole and in a stream', () => {
      const read = usageOf('audio/transcriptions').filter(({ source }) => source === 'reported');
      // Text and subtitles tell of none.
      expect(read).toHaveLength(2 * Object.keys(surfaces).length);
      expect(read.every(({ prompt, audio_in, completion }) => prompt === 14 && audio_in === 14 && completion === 3)).toBe(true);
      expect(usageOf('audio/speech').filter(({ source, completion }) => source === 'reported' && completion === 9)).toHaveLength(3);
    });

    it.each(['batches/{id}', 'batches/list', 'batches/{id}/output', 'fine_tuning/jobs/{id}', 'files/{id}/content'] as const)(
      'counts nothing for what was used elsewhere: %s',
      (endpoint) => {
        expect(usageOf(endpoint).length).toBeGreaterThan(0);
        expect(new Set(usageOf(endpoint).map(({ source }) => source))).toEqual(new Set(['none']));
      },
    );

    it('says what kind of error an error is', async () => {
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

    it('leaves nothing in the log that an operator has to look at', () => {
      expect(gateway.lines).toEqual([]);
    });
  });
}
