import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { runHere } from './in-process.ts';

interface Row {
  readonly uri: string;
  readonly type: 'azure-openai' | 'azure-ai';
  readonly slug: string;
  readonly kind: RegExp;
  readonly entry: Readonly<Record<string, unknown>>;
  /** Paths of the settings that are missing in the address; required ones have a mark. */
  readonly missing: readonly string[];
}

const model = (id: string): string => `deployments.${id}.foundation_model`;

/** Every kind of address that the cloud portals show. */
const rows: readonly Row[] = [
  {
    uri: 'https://r1.openai.azure.com/openai/deployments/d1/chat/completions?api-version=2024-10-21',
    type: 'azure-openai',
    slug: 'r1',
    kind: /dated deployment/,
    entry: { resource_name: 'r1', deployments: { d1: { deployment_id: 'd1', api_version: '2024-10-21' } } },
    missing: [model('d1')],
  },
  {
    uri: 'https://r1.cognitiveservices.azure.com/openai/deployments/d%2E1/chat/completions?api-version=2025-01-01-preview',
    type: 'azure-openai',
    slug: 'r1',
    kind: /dated deployment/,
    entry: {
      resource_name: 'r1',
      custom_host: 'https://r1.cognitiveservices.azure.com/openai',
      deployments: { 'd.1': { deployment_id: 'd.1', api_version: '2025-01-01-preview' } },
    },
    missing: [model('d.1')],
  },
  {
    uri: 'https://r1.cognitiveservices.azure.com/openai/responses?api-version=2025-04-01-preview',
    type: 'azure-openai',
    slug: 'r1',
    kind: /without a deployment/,
    entry: { resource_name: 'r1', custom_host: 'https://r1.cognitiveservices.azure.com/openai', api_version: '2025-04-01-preview' },
    missing: ['deployments!'],
  },
  {
    uri: 'https://r1.openai.azure.com/openai/v1/',
    type: 'azure-openai',
    slug: 'r1',
    kind: /^form of the address: v1/,
    entry: { resource_name: 'r1', api_version: 'v1' },
    missing: ['deployments'],
  },
  {
    uri: 'https://r1.openai.azure.com/openai/v1/chat/completions',
    type: 'azure-openai',
    slug: 'r1',
    kind: /^form of the address: v1/,
    entry: { resource_name: 'r1', api_version: 'v1' },
    missing: ['deployments'],
  },
  {
    uri: 'https://r1.services.ai.azure.com/api/projects/p1/openai/v1/chat/completions',
    type: 'azure-openai',
    slug: 'r1',
    kind: /project, v1/,
    entry: { resource_name: 'r1', custom_host: 'https://r1.services.ai.azure.com/api/projects/p1/openai', api_version: 'v1' },
    missing: ['deployments'],
  },
  {
    uri: 'https://r1.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview',
    type: 'azure-ai',
    slug: 'r1',
    kind: /inference/,
    entry: { resource_name: 'r1', format: 'inference', api_version: '2024-05-01-preview' },
    missing: ['deployments'],
  },
  {
    uri: 'https://r1.services.ai.azure.com/anthropic/v1/messages',
    type: 'azure-ai',
    slug: 'r1',
    kind: /Anthropic/,
    entry: { resource_name: 'r1', format: 'messages' },
    missing: ['deployments'],
  },
  {
    uri: 'https://m1.eastus2.models.ai.azure.com/v1/chat/completions',
    type: 'azure-ai',
    slug: 'm1',
    kind: /serverless/,
    entry: { foundry_url: 'https://m1.eastus2.models.ai.azure.com/v1' },
    missing: ['model_name'],
  },
  {
    uri: 'https://m1.westeurope.inference.ml.azure.com/score',
    type: 'azure-ai',
    slug: 'm1',
    kind: /managed compute/,
    entry: { foundry_url: 'https://m1.westeurope.inference.ml.azure.com' },
    missing: ['endpoint_name', 'model_name'],
  },
  {
    uri: 'wss://r1.openai.azure.com/openai/realtime?api-version=2025-04-01-preview&deployment=d1',
    type: 'azure-openai',
    slug: 'r1',
    kind: /realtime, dated/,
    entry: { resource_name: 'r1', deployments: { d1: { deployment_id: 'd1', api_version: '2025-04-01-preview' } } },
    missing: [model('d1')],
  },
  {
    uri: 'https://r1.openai.azure.com/openai/v1/realtime?model=d1',
    type: 'azure-openai',
    slug: 'r1',
    kind: /realtime, v1/,
    entry: { resource_name: 'r1', deployments: { d1: { deployment_id: 'd1', api_version: 'v1' } } },
    missing: [model('d1')],
  },
  {
    uri: 'https://r1.openai.azure.us/openai/deployments/d1/embeddings?api-version=2024-10-21',
    type: 'azure-openai',
    slug: 'r1',
    kind: /dated deployment/,
    entry: {
      resource_name: 'r1',
      custom_host: 'https://r1.openai.azure.us/openai',
      deployments: { d1: { deployment_id: 'd1', api_version: '2024-10-21' } },
    },
    missing: [model('d1')],
  },
  {
    uri: 'https://apim.example/team/openai/deployments/d1/chat/completions?API-Version=2024-10-21',
    type: 'azure-openai',
    slug: 'apim',
    kind: /dated deployment/,
    entry: {
      custom_host: 'https://apim.example/team/openai',
      deployments: { d1: { deployment_id: 'd1', api_version: '2024-10-21' } },
    },
    missing: ['resource_name', model('d1')],
  },
  {
    uri: '  r1.services.ai.azure.com/api/projects/p1 ',
    type: 'azure-ai',
    slug: 'r1',
    kind: /foundry resource/,
    entry: { resource_name: 'r1', foundry_url: 'https://r1.services.ai.azure.com/api/projects/p1' },
    missing: ['format', 'deployments'],
  },
];

describe('gateway providers import-uri', () => {
  it.each(rows)('converts $uri', async ({ uri, type, slug, kind, entry, missing }) => {
    const { code, out, err } = await runHere(['providers', 'import-uri', uri], '/');
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(kind) as unknown });
    const key = `\${env:${slug.toUpperCase()}_API_KEY}`;
    expect(parseDocument(out).toJS()).toEqual({ providers: { [slug]: { type, ...entry, api_key: key } } });
    const json = await runHere(['providers', 'import-uri', uri, '--json'], '/');
    const report = JSON.parse(json.out) as { type: string; missing: { path: string[]; isNeeded: boolean }[] };
    expect(report).toMatchObject({ slug, type, entry });
    expect(report.missing.map(({ path, isNeeded }) => `${path.join('.')}${isNeeded ? '!' : ''}`)).toEqual(missing);
    for (const part of report.missing) expect(out).toContain(`# ${part.path.at(-1)}: `);
  });

  it.each([
    ['https://user:pw@r1.openai.azure.com/openai/deployments/d1', /user name or password/],
    ['https://api.example.com/v1/chat/completions', /no provider type has such an address/],
    ['https://openai.example.com/v1', /no provider type has such an address/],
    ['', /no provider type has such an address|not a URL/],
  ])('prints why "%s" cannot be imported', async (uri, reason) => {
    const { code, out, err } = await runHere(['providers', 'import-uri', uri], '/');
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringMatching(reason) as unknown });
    expect(err).not.toContain('pw');
  });

  it('rejects an invalid --slug', async () => {
    const { code, out, err } = await runHere(
      ['providers', 'import-uri', 'https://r1.openai.azure.com/openai/v1', '--slug', 'My Slug'],
      '/',
    );
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(/"My Slug" is not a slug/) as unknown });
  });
});
