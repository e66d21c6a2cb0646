import { expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import bedrock from '../../plugins/providers/bedrock/index.ts';
import openai from '../../plugins/providers/openai/index.ts';
import vertexAi from '../../plugins/providers/vertex-ai/index.ts';
import type { Endpoint } from '../../src/core/endpoint.ts';
import { JsonBody } from '../../src/core/json/body.ts';
import type { CommonSettings, Provider } from '../../src/core/provider.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { begin, callOf } from './call.ts';

/** An integer beyond the precision of a JavaScript number. */
const long = '9223372036854775807';
const page = 'https://h.example/a.png';

const assistantJson = `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"gateway:unsigned"},{"type":"tool_use","id":"a","name":"f","input":{"n":${long}}}]}`;
const toolResultJson = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"url","url":"${page}"}}]}]}`;
const messages = `"messages":[{"role":"user","content":"hi"},${assistantJson},${toolResultJson}]`;
const tool = `{"type":"function","cache_control":{"type":"ephemeral"},"function":{"name":"f","parameters":{"type":"object","properties":{"n":{"type":"integer","maximum":${long}}}}}}`;
const chat = `{"model":"m","temperature":1.0,"messages":[{"role":"user","content":"hi"}],"tools":[${tool}]}`;
const old = `{"model":"m","messages":[{"role":"assistant","content":[{"type":"text","text":"x","n":${long}}],"content_blocks":[]},{"role":"user","content":[{"type":"text","text":"x","n":${long}}]}]}`;
const ofMessages = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":{"type":"object","maximum":${long}}}]}`;
const batch = `{"endpoint":"/v1/messages","requests":[{"custom_id":"a","body":{"model":"m","max_tokens":9,${messages}}}]}`;

const region = { region: 'us-east-1' };
const project = { region: 'us-east5', project: 'p1' };

it.each<[name: string, provider: Provider, endpoint: Endpoint, model: string, settings: CommonSettings & object, body: string]>([
  ['thoughts of another provider are removed', anthropic, 'messages', 'claude-m', {}, `{"model":"claude-m","max_tokens":9,${messages}}`],
  ['files are inlined for Bedrock', bedrock, 'messages', 'anthropic.claude-m', region, `{"max_tokens":9,${messages}}`],
  ['files are inlined for Vertex AI', vertexAi, 'messages', 'anthropic.claude-m', project, `{"max_tokens":9,${messages}}`],
  ['a chat request becomes a Messages request', anthropic, 'chat/completions', 'claude-m', {}, chat],
  ['a chat request has calls as content blocks', anthropic, 'chat/completions', 'claude-m', {}, `{"model":"m","max_tokens":9,${messages}}`],
  ['a chat request becomes a Converse request', bedrock, 'chat/completions', 'amazon.nova-pro-v1:0', region, chat],
  ['cache_control is removed from tools', openai, 'chat/completions', 'm', {}, chat],
  ['content blocks are removed from the history', openai, 'chat/completions', 'm', {}, old],
  ['a Messages request becomes a chat request', throughHub(openai), 'messages', 'm', {}, ofMessages],
  ['lines of a batch become a message batch', anthropic, 'batches', '', {}, batch],
])('keeps the digits of long numbers: %s', (_name, provider, endpoint, model, settings, text) => {
  const media = new Map([[page, { mimeType: 'image/png', base64: 'AAAA' }]]);
  const call = callOf({ endpoint, model, settings, ...(endpoint === 'messages' && provider !== anthropic ? { media } : {}) });
  const { body } = begin(provider, call, JsonBody.from(Buffer.from(text))).request;
  const sent = body.kind === 'json' ? body.bytes().toString() : '';
  expect(sent).not.toBe(text);
  expect(sent).toMatch(new RegExp(`:${long}[,}]`));
});
