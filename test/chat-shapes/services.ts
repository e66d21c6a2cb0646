import type { CommonSettings, Provider } from '../../src/core/provider.ts';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import azureOpenAi from '../../plugins/providers/azure-openai/index.ts';
import bedrock from '../../plugins/providers/bedrock/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import openai from '../../plugins/providers/openai/index.ts';
import vendors from '../../plugins/providers/vendors/index.ts';
import vertexAi from '../../plugins/providers/vertex-ai/index.ts';

export interface Service {
  readonly name: string;
  /** Services of one family get the same requests, except in rows that name one of them. */
  readonly family: 'openai' | 'chat' | 'claude' | 'bedrock' | 'gemini';
  readonly provider: Provider;
  readonly model: string;
  readonly settings: CommonSettings & Readonly<Record<string, unknown>>;
}

const location = { region: 'us-central1', project: 'p1' };
const aws = { region: 'us-east-1' };

function vendor(type: string, model: string): Service {
  const provider = vendors.find((one) => one.type === type);
  if (provider === undefined) throw new Error(`no ${type}`);
  return { name: type, family: 'chat', provider, model, settings: {} };
}

const azure = { resource_name: 'r1', api_version: '2024-10-21' };

export const services: readonly Service[] = [
  { name: 'openai', family: 'openai', provider: openai, model: 'gpt-4o', settings: {} },
  { name: 'azure-openai', family: 'openai', provider: azureOpenAi, model: 'd1', settings: azure },
  vendor('groq', 'llama-3.3-70b-versatile'),
  vendor('deepseek', 'deepseek-chat'),
  vendor('xai', 'grok-4'),
  vendor('mistral', 'mistral-large-latest'),
  { name: 'vertex-ai, Llama', family: 'chat', provider: vertexAi, model: 'meta.llama-4-maverick', settings: location },
  { name: 'anthropic', family: 'claude', provider: anthropic, model: 'claude-sonnet-4-5', settings: {} },
  { name: 'vertex-ai, Claude', family: 'claude', provider: vertexAi, model: 'anthropic.claude-sonnet-4-5@20250929', settings: location },
  { name: 'bedrock, Claude', family: 'bedrock', provider: bedrock, model: 'anthropic.claude-sonnet-4-5-20250929-v1:0', settings: aws },
  { name: 'bedrock, Nova', family: 'bedrock', provider: bedrock, model: 'amazon.nova-pro-v1:0', settings: aws },
  { name: 'gemini', family: 'gemini', provider: gemini, model: 'gemini-2.5-flash', settings: {} },
  { name: 'vertex-ai, Gemini', family: 'gemini', provider: vertexAi, model: 'gemini-2.5-flash', settings: location },
];
