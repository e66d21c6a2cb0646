import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { JsonBody } from '../../src/core/json/body.ts';
import type { Endpoint } from '../../src/core/endpoint.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { callOf } from './call.ts';
import { samples } from './samples.ts';

const url = 'https://a.example/x.png';
const chatPart = { type: 'image_url', image_url: { url } };
const messages = [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }];

/** A request with the URL of an image, for each route whose providers may need a download. */
const requests: { readonly [E in Endpoint]?: object } = {
  'chat/completions': { messages: [{ role: 'user', content: [chatPart] }] },
  'images/edits': { prompt: 'a', images: [{ image_url: url }] },
  messages: { max_tokens: 9, messages },
  'messages/count_tokens': { messages },
  'responses/input_tokens': { input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] },
};

/** The URLs that each route of each provider downloads for a request in this JSON spelling. */
function downloads(spelling: (json: string) => string): string[] {
  return providers.flatMap((provider) => {
    const [sample] = samples[provider.type] ?? [];
    const { operations } = throughHub(provider);
    return Object.entries(requests).flatMap(([endpoint, request]) => {
      const model = sample?.models?.[endpoint as Endpoint] ?? 'model-1';
      const call = callOf({ endpoint: endpoint as Endpoint, model, settings: sample?.settings ?? {} });
      const body = JsonBody.from(Buffer.from(spelling(JSON.stringify({ model, ...request }))));
      const needs = operations[endpoint as Endpoint]?.media?.(body, call) ?? [];
      return needs.map((need) => `${provider.type} ${endpoint} ${need.url.toLowerCase()}`);
    });
  });
}

it.each<[string, (json: string) => string]>([
  ['escaped slashes (PHP)', (json) => json.replaceAll('/', String.raw`\/`)],
  ['code points', (json) => json.replaceAll('://', String.raw`\u003a\u002f\u002F`)],
  ['a scheme in capitals', (json) => json.replaceAll('https:', 'HTTPS:')],
  ['a scheme in code points', (json) => json.replaceAll('https:', String.raw`\u0068ttps:`)],
])('finds the same files in a body with %s', (_, spelling) => {
  const found = downloads((json) => json);
  expect(new Set(found.map((row) => row.split(' ')[1]))).toEqual(new Set(Object.keys(requests)));
  expect(downloads(spelling)).toEqual(found);
});

const block = { type: 'image', source: { type: 'url', url } };
it.each([
  ['a block of Anthropic', [block]],
  ['a block of Anthropic in a result', [{ type: 'tool_result', tool_use_id: 't', content: [block] }]],
  ['a part in a result of Anthropic', [{ type: 'tool_result', tool_use_id: 't', content: [chatPart] }]],
])('downloads the file in %s for services of other formats that read only bytes', (_, content) => {
  const body = JsonBody.of({ messages: [{ role: 'user', content }] });
  for (const type of ['gemini', 'bedrock']) {
    const provider = providers.find((one) => one.type === type);
    const call = callOf({ settings: samples[type]?.[0]?.settings ?? {} });
    expect(provider?.operations['chat/completions']?.media?.(body, call).map((need) => need.url)).toEqual([url]);
  }
});
