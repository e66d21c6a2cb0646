import { describe, expect, it } from 'vitest';
import { parseTargetUri } from './target-uri.ts';

/** [pasted, base, resource, deployment, version, v1]. */
const rows: readonly (readonly [string, string, string | undefined, string | undefined, string | undefined, boolean])[] = [
  [
    'https://r1.openai.azure.com/openai/deployments/d1/chat/completions?api-version=2024-10-21',
    'https://r1.openai.azure.com/openai',
    'r1',
    'd1',
    '2024-10-21',
    false,
  ],
  [
    'https://r1.cognitiveservices.azure.com/openai/deployments/d%2E1/chat/completions?api-version=2025-01-01-preview',
    'https://r1.cognitiveservices.azure.com/openai',
    'r1',
    'd.1',
    '2025-01-01-preview',
    false,
  ],
  [
    'https://r1.cognitiveservices.azure.com/openai/responses?API-Version=2025-04-01-preview',
    'https://r1.cognitiveservices.azure.com/openai',
    'r1',
    undefined,
    '2025-04-01-preview',
    false,
  ],
  ['https://r1.openai.azure.com/openai/v1/', 'https://r1.openai.azure.com/openai', 'r1', undefined, undefined, true],
  ['https://r1.openai.azure.com/openai/v1/chat/completions', 'https://r1.openai.azure.com/openai', 'r1', undefined, undefined, true],
  [
    'https://r1.services.ai.azure.com/api/projects/p1/openai/v1/chat/completions',
    'https://r1.services.ai.azure.com/api/projects/p1/openai',
    'r1',
    undefined,
    undefined,
    true,
  ],
  [
    'wss://r1.openai.azure.com/openai/realtime?api-version=2025-04-01-preview&deployment=d1',
    'https://r1.openai.azure.com/openai',
    'r1',
    'd1',
    '2025-04-01-preview',
    false,
  ],
  ['https://r1.openai.azure.com/openai/v1/realtime?model=d1', 'https://r1.openai.azure.com/openai', 'r1', 'd1', undefined, true],
  [
    'https://r1.openai.azure.us/openai/deployments/d1/x?api-version=2024-10-21',
    'https://r1.openai.azure.us/openai',
    'r1',
    'd1',
    '2024-10-21',
    false,
  ],
  [
    'https://apim.example/team/openai/deployments/d1/chat/completions?api-version=2024-10-21',
    'https://apim.example/team/openai',
    undefined,
    'd1',
    '2024-10-21',
    false,
  ],
  ['https://openai.example/openai/openai/deployments/d1', 'https://openai.example/openai', undefined, 'd1', undefined, false],
  ['https://openai.example/deployments/d1', 'https://openai.example', undefined, 'd1', undefined, false],
  ['http://127.0.0.1:9/mounted', 'http://127.0.0.1:9/mounted', undefined, undefined, undefined, false],
  ['http://127.0.0.1:9/mounted/v1', 'http://127.0.0.1:9/mounted', undefined, undefined, undefined, true],
  ['r1.openai.azure.com', 'https://r1.openai.azure.com/openai', 'r1', undefined, undefined, false],
  ['https://r1.openai.azure.cn/', 'https://r1.openai.azure.cn/openai', 'r1', undefined, undefined, false],
  [
    'https://r1.openai.azure.com.evil.example/openai',
    'https://r1.openai.azure.com.evil.example/openai',
    undefined,
    undefined,
    undefined,
    false,
  ],
];

it.each(rows)('parseTargetUri parses %s', (pastedUri, ...[base, resource, deployment, apiVersion, v1]) => {
  const uri = parseTargetUri(pastedUri);
  if (typeof uri === 'string') throw new Error(uri);
  expect({
    base: uri.origin + uri.path,
    resource: uri.resource,
    deployment: uri.deployment,
    apiVersion: uri.apiVersion,
    v1: uri.isV1,
  }).toEqual({ base, resource, deployment, apiVersion, v1 });
});

describe('parseTargetUri', () => {
  it.each([
    ['https://r1.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview', /foundry/],
    ['https://r1.services.ai.azure.com/anthropic/v1/messages', /foundry/],
    ['https://m1.eastus2.models.ai.azure.com/v1/chat/completions', /single-model/],
    ['https://m1.westeurope.inference.ml.azure.com/score', /single-model/],
    ['https://user:pw@r1.openai.azure.com/openai', /user name/],
    ['ftp://r1.openai.azure.com', /scheme/],
    ['https://', /not a URL/],
  ])('returns the reason why it cannot use %s', (pastedUri, reason) => {
    expect(parseTargetUri(pastedUri)).toMatch(reason);
  });
});
