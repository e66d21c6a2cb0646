import { Ajv2020 } from 'ajv/dist/2020.js';
import type { CommonSettings, Provider } from '../../src/core/provider.ts';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import azureAi from '../../plugins/providers/azure-ai/index.ts';
import azureOpenAi from '../../plugins/providers/azure-openai/index.ts';
import bedrock from '../../plugins/providers/bedrock/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import openai from '../../plugins/providers/openai/index.ts';
import vendors from '../../plugins/providers/vendors/index.ts';
import vertexAi from '../../plugins/providers/vertex-ai/index.ts';
import { refusals as messagesRefusals } from '../anthropic/messages-schema.ts';
import { requestSchema, schemaNode } from '../contract/gemini-request-schema.ts';
import type { Json } from './assembled.ts';
import { chatRefusals, type Strictness } from './openai-oracle.ts';

/** A service that receives a history, and what it rejects. */
export interface Target {
  readonly name: string;
  readonly provider: Provider;
  readonly model: string;
  readonly settings: CommonSettings & Readonly<Record<string, unknown>>;
  readonly refusals: (body: Json) => readonly string[];
}

const isServed = new Ajv2020({ strict: false, allErrors: true }).addSchema(schemaNode).compile(requestSchema);
const geminiRefusals = (body: Json): readonly string[] => {
  const { safetySettings: _none, ...rest } = body;
  return isServed(rest) ? geminiOrder(rest) : (isServed.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

/** User and model turns must alternate, starting with the user, with as many results as calls. */
function geminiOrder(body: Json): readonly string[] {
  const contents = body['contents'] as { role: string; parts: Json[] }[];
  const problems: string[] = [];
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== (at % 2 === 0 ? 'user' : 'model')) problems.push(`content ${at} is of ${role}`);
    const calls = parts.flatMap((part) => (part['functionCall'] === undefined ? [] : [(part['functionCall'] as Json)['name']]));
    const results = (contents[at + 1]?.parts ?? []).flatMap((part) =>
      part['functionResponse'] === undefined ? [] : [(part['functionResponse'] as Json)['name']],
    );
    if (role === 'model' && JSON.stringify(calls) !== JSON.stringify(results))
      problems.push(`content ${at}: calls ${calls.join()}, results ${results.join()}`);
  }
  return problems;
}

const chat =
  (strictness: Strictness) =>
  (body: Json): readonly string[] =>
    chatRefusals(body, strictness);
const onVertex = ({ anthropic_version: version, ...body }: Json): readonly string[] =>
  version === 'vertex-2023-10-16' ? messagesRefusals({ model: 'm', ...body }, 'vertex') : ['no version'];

/** Blocks of Converse for a model that is not Claude: without reasoning, and with results for all calls. */
function converseRefusals({ messages }: Json): readonly string[] {
  const turns = messages as { role: string; content: Json[] }[];
  const ids = (at: number, kind: string): string =>
    (turns[at]?.content ?? []).flatMap((block) => (block[kind] === undefined ? [] : [(block[kind] as Json)['toolUseId']])).join();
  return turns.flatMap(({ role, content }, at): string[] => {
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) return [`message ${at} is of ${role}`];
    if (content.some(({ reasoningContent, text }) => reasoningContent !== undefined || text === ''))
      return [`message ${at} has reasoning or no text`];
    return role === 'user' || ids(at, 'toolUse') === ids(at + 1, 'toolResult') ? [] : [`message ${at}: calls without results`];
  });
}

function vendor(type: string): Provider {
  const found = vendors.find((one) => one.type === type);
  if (found === undefined) throw new Error(`no ${type}`);
  return found;
}

const location = { region: 'us-central1', project: 'p1' };

export const targets: readonly Target[] = [
  { name: 'openai', provider: openai, model: 'gpt-5', settings: {}, refusals: chat('openai') },
  {
    name: 'azure-openai',
    provider: azureOpenAi,
    model: 'd1',
    settings: { resource_name: 'r1', api_version: '2024-10-21' },
    refusals: chat('openai'),
  },
  {
    name: 'azure-ai, OpenAI format',
    provider: azureAi,
    model: 'd1',
    settings: { resource_name: 'r1', deployments: { d1: { deployment_id: 'd1', format: 'openai', default: true } } },
    refusals: chat('openai'),
  },
  {
    name: 'azure-ai, inference',
    provider: azureAi,
    model: 'd1',
    settings: { resource_name: 'r1', deployments: { d1: { deployment_id: 'd1', format: 'inference', default: true } } },
    refusals: chat('open'),
  },
  {
    name: 'azure-ai, messages',
    provider: azureAi,
    model: 'd1',
    settings: { resource_name: 'r1', deployments: { d1: { deployment_id: 'd1', format: 'messages', default: true } } },
    refusals: (body) => messagesRefusals(body),
  },
  { name: 'anthropic', provider: anthropic, model: 'claude-sonnet-4-5', settings: {}, refusals: (body) => messagesRefusals(body) },
  { name: 'mistral', provider: vendor('mistral'), model: 'mistral-large', settings: {}, refusals: chat('mistral') },
  {
    name: 'bedrock, Nova',
    provider: bedrock,
    model: 'amazon.nova-pro-v1:0',
    settings: { region: 'us-east-1' },
    refusals: converseRefusals,
  },
  { name: 'gemini 2.5', provider: gemini, model: 'gemini-2.5-flash', settings: {}, refusals: geminiRefusals },
  { name: 'gemini 3', provider: gemini, model: 'gemini-3-pro-preview', settings: {}, refusals: geminiRefusals },
  { name: 'vertex-ai, Gemini', provider: vertexAi, model: 'gemini-3-flash', settings: location, refusals: geminiRefusals },
  {
    name: 'vertex-ai, Anthropic',
    provider: vertexAi,
    model: 'anthropic.claude-sonnet-4-5@20250929',
    settings: location,
    refusals: onVertex,
  },
  { name: 'vertex-ai, Llama', provider: vertexAi, model: 'meta.llama-4-maverick', settings: location, refusals: chat('open') },
  { name: 'vertex-ai, Mistral', provider: vertexAi, model: 'mistralai.mistral-medium-3', settings: location, refusals: chat('mistral') },
  { name: 'vertex-ai, endpoint', provider: vertexAi, model: 'endpoints.1234', settings: location, refusals: chat('open') },
];
