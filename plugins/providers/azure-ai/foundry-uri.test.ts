import { describe, expect, it } from 'vitest';
import { isAnthropicModel, parseFoundryUri } from './foundry-uri.ts';

/** [pasted, origin + prefix, host, resource, format, version]. */
const rows: readonly (readonly [string, string, string, string | undefined, string | undefined, string | undefined])[] = [
  ['https://r1.services.ai.azure.com', 'https://r1.services.ai.azure.com', 'resource', 'r1', undefined, undefined],
  ['r1.services.ai.azure.com/', 'https://r1.services.ai.azure.com', 'resource', 'r1', undefined, undefined],
  [
    'https://r1.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview',
    'https://r1.services.ai.azure.com',
    'resource',
    'r1',
    'inference',
    '2024-05-01-preview',
  ],
  ['https://r1.services.ai.azure.com/models', 'https://r1.services.ai.azure.com', 'resource', 'r1', 'inference', undefined],
  ['https://r1.services.ai.azure.com/anthropic/v1/messages', 'https://r1.services.ai.azure.com', 'resource', 'r1', 'messages', undefined],
  ['https://r1.services.ai.azure.com/openai/v1/', 'https://r1.services.ai.azure.com', 'resource', 'r1', 'openai', undefined],
  [
    'https://r1.services.ai.azure.com/api/projects/p1/openai/v1/chat/completions',
    'https://r1.services.ai.azure.com/api/projects/p1',
    'resource',
    'r1',
    'openai',
    undefined,
  ],
  [
    'https://r1.services.ai.azure.com/api/projects/p1',
    'https://r1.services.ai.azure.com/api/projects/p1',
    'resource',
    'r1',
    undefined,
    undefined,
  ],
  [
    'https://m1.eastus2.models.ai.azure.com/v1/chat/completions',
    'https://m1.eastus2.models.ai.azure.com/v1',
    'serverless',
    'm1',
    'inference',
    undefined,
  ],
  ['https://m1.eastus2.models.ai.azure.com', 'https://m1.eastus2.models.ai.azure.com', 'serverless', 'm1', 'inference', undefined],
  [
    'https://m1.westeurope.inference.ml.azure.com/score',
    'https://m1.westeurope.inference.ml.azure.com',
    'compute',
    'm1',
    'inference',
    undefined,
  ],
  ['https://apim.example/team/anthropic', 'https://apim.example/team', 'other', undefined, 'messages', undefined],
  ['https://anthropic.example/team', 'https://anthropic.example/team', 'other', undefined, undefined, undefined],
  ['https://models.openai.anthropic.example', 'https://models.openai.anthropic.example', 'other', undefined, undefined, undefined],
];

describe('parseFoundryUri', () => {
  it.each(rows)('parses %s', (pastedUri, base, host, resource, format, apiVersion) => {
    const parsed = parseFoundryUri(pastedUri);
    if (typeof parsed === 'string') throw new Error(parsed);
    expect({ ...parsed, base: parsed.origin + parsed.path }).toMatchObject({ base, host });
    expect([parsed.resource, parsed.format, parsed.apiVersion]).toEqual([resource, format, apiVersion]);
  });

  it.each([
    ['https://user:pw@r1.services.ai.azure.com/models', /user name or password/],
    ['https://r1.services.ai.azure.com/openai/deployments/d1/chat/completions?api-version=2024-10-21', /type azure-openai/],
    ['ftp://r1.services.ai.azure.com', /scheme/],
    ['nonsense with blanks', /not a URL/],
  ])('returns the reason why it cannot use %s', (pastedUri, reason) => {
    expect(parseFoundryUri(pastedUri)).toMatch(reason);
  });
});

it.each([
  ['claude-sonnet-4-5', true],
  ['Claude Opus 4.1', true],
  ['anthropic/claude-haiku-4-5', true],
  ['anthropic.claude-3', true],
  ['vendorA.anything', true],
  ['gpt-4o', false],
  ['claudette-7b', false],
  ['my-claude-killer', false],
  ['Llama-3.3-70B-Instruct', false],
])('isAnthropicModel(%s) is %s', (name, expected) => {
  expect(isAnthropicModel(name)).toBe(expected);
});
