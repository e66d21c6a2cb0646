import { describe, expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import bedrock from '../../plugins/providers/bedrock/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import openai from '../../plugins/providers/openai/index.ts';
import vendors from '../../plugins/providers/vendors/index.ts';
import vertexAi from '../../plugins/providers/vertex-ai/index.ts';
import { GatewayError } from '../../src/core/error.ts';
import { JsonBody } from '../../src/core/json/body.ts';
import type { CommonSettings, Provider } from '../../src/core/provider.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { begin, callOf } from './call.ts';
import { chatMembers, messagesMembers, responsesMembers } from './members.ts';

/** No member is dropped silently: it changes the request, is reported as dropped, or is rejected. */

const region = { region: 'us-east-1' } as CommonSettings;
const project = { region: 'eu', project: 'p' } as CommonSettings;
const targets: readonly (readonly [name: string, provider: Provider, model: string, settings: CommonSettings])[] = [
  ['Gemini 2.5', gemini, 'gemini-2.5-flash', {}],
  ['Gemini 3', gemini, 'gemini-3-pro-preview', {}],
  ['Gemini on Vertex AI', vertexAi, 'gemini-2.5-flash', project],
  ['Claude on Vertex AI', vertexAi, 'anthropic.claude-sonnet-4-5', project],
  ['Claude', anthropic, 'claude-sonnet-4-5', {}],
  ['Claude on Bedrock', bedrock, 'anthropic.claude-sonnet-4-5', region],
  ['Nova', bedrock, 'amazon.nova-pro-v1:0', region],
  ['GPT', openai, 'gpt-4o', {}],
  ['a model of OpenAI that reasons', openai, 'gpt-5', {}],
  ...vendors.filter(({ type }) => type === 'deepseek' || type === 'groq').map((one) => [one.type, one, 'm', {}] as const),
];

describe.each([
  ['chat/completions', chatMembers, { messages: [{ role: 'user', content: 'q' }], max_completion_tokens: 3000 }],
  ['messages', messagesMembers, { messages: [{ role: 'user', content: 'q' }], max_tokens: 3000 }],
  ['responses', responsesMembers, { input: 'q', max_output_tokens: 3000 }],
] as const)('members of a request to /v1/%s', (endpoint, members, base) => {
  it.each(targets)('are sent, reported as dropped or rejected: %s', (_name, plain, model, settings) => {
    const provider = throughHub(plain);
    const sent = (request: object): unknown => {
      const body = JsonBody.of({ model, ...base, ...request });
      try {
        const { body: converted, headers, path, dropped, warnings } = begin(provider, callOf({ endpoint, model, settings }), body).request;
        return [converted.kind === 'json' ? converted.bytes().toString() : '', headers, path, dropped, warnings];
      } catch (error) {
        if (error instanceof GatewayError) return error.message;
        throw error;
      }
    };
    const silent = members.filter(([, without, withIt]) => JSON.stringify(sent(without)) === JSON.stringify(sent(withIt)));
    expect(silent.map(([name, , withIt]) => [name, withIt])).toEqual([]);
  });
});
