import { describe, expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import bedrock from '../../plugins/providers/bedrock/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import { valueAt } from '#core/model/field-names.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { Provider } from '#core/provider.ts';
import { prepare } from '../support/prepare.ts';
import { makeBinding } from '../support/stage-context.ts';

const messages = [{ role: 'user', content: 'x' }];
const settings: JsonObject = { region: 'us-east-1' };

interface Case {
  readonly override: JsonObject;
  /** What the client sends for the same parameter. */
  readonly client: JsonObject;
  /** Members of the body that the provider gets; undefined for those that must be absent. */
  readonly sent: Readonly<Record<string, unknown>>;
}

const tables: Readonly<Record<string, readonly [Provider, string, readonly Case[]]>> = {
  'Gemini 3': [
    gemini as Provider,
    'gemini-3-flash',
    [
      { thinking: { type: 'enabled', budget_tokens: 9000 } },
      { thinking_config: { thinkingBudget: 9000 } },
      { thinkingConfig: { thinkingBudget: 9000 } },
      { reasoning: { effort: 'high' } },
      { generation_config: { thinking_config: { thinkingBudget: 9000 } } },
      { extra_body: { google: { thinking_config: { thinkingBudget: 9000 } } } },
    ].map(
      (client): Case => ({
        override: { reasoning_effort: 'low' },
        client,
        sent: { 'generationConfig.thinkingConfig': { thinkingLevel: 'LOW' } },
      }),
    ),
  ],
  Gemini: [
    gemini as Provider,
    'gemini-2.5-flash',
    [
      ...[{ max_completion_tokens: 9 }, { generationConfig: { maxOutputTokens: 9 } }, { generation_config: { max_output_tokens: 9 } }].map(
        (client): Case => ({ override: { max_tokens: 5 }, client, sent: { 'generationConfig.maxOutputTokens': 5 } }),
      ),
      {
        override: { temperature: 0 },
        client: { generation_config: { temperature: 1, topK: 3 } },
        sent: { 'generationConfig.temperature': 0, 'generationConfig.topK': 3 },
      },
      { override: { generation_config: { temperature: 0 } }, client: { temperature: 1 }, sent: { 'generationConfig.temperature': 0 } },
      { override: { n: 1 }, client: { generationConfig: { candidateCount: 4 } }, sent: { 'generationConfig.candidateCount': 1 } },
      {
        override: { response_format: { type: 'json_object' } },
        client: { generationConfig: { responseMimeType: 'text/plain' } },
        sent: { 'generationConfig.responseMimeType': 'application/json' },
      },
      { override: { safetySettings: [] }, client: { extra_body: { google: { safety_settings: [1] } } }, sent: { safetySettings: [] } },
      { override: { tool_choice: 'none' }, client: { function_call: 'auto' }, sent: {} },
    ],
  ],
  Anthropic: [
    anthropic as Provider,
    'claude-sonnet-4-5',
    [
      {
        override: { reasoning_effort: 'low' },
        client: { thinking: { type: 'enabled', budget_tokens: 9000 } },
        sent: { thinking: { type: 'enabled', budget_tokens: 1024 } },
      },
      {
        override: { reasoning_effort: 'none' },
        client: { thinking: { type: 'enabled', budget_tokens: 9000 } },
        sent: { thinking: undefined },
      },
      { override: { max_tokens: 5 }, client: { max_completion_tokens: 9 }, sent: { max_tokens: 5 } },
      { override: { stop: 'a' }, client: { stop_sequences: ['b'] }, sent: { stop_sequences: ['a'] } },
      { override: { user: 'ops' }, client: { metadata: { user_id: 'client' } }, sent: { 'metadata.user_id': 'ops' } },
    ],
  ],
  'a newer model of Anthropic': [
    anthropic as Provider,
    'claude-opus-4-8',
    [
      {
        override: { reasoning_effort: 'low' },
        client: { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
        sent: { thinking: { type: 'adaptive' }, 'output_config.effort': 'low' },
      },
    ],
  ],
  Bedrock: [
    bedrock as Provider,
    'openai.gpt-oss-120b-1:0',
    [{ additionalModelRequestFields: { reasoning_effort: 'high' } }, { additional_model_request_fields: { reasoning_effort: 'high' } }].map(
      (client): Case => ({
        override: { reasoning_effort: 'low' },
        client,
        sent: { 'additionalModelRequestFields.reasoning_effort': 'low' },
      }),
    ),
  ],
};

const rows = Object.entries(tables).flatMap(([name, [provider, model, cases]]) =>
  cases.map((one) => [`${name}: ${JSON.stringify(one.override)} over ${JSON.stringify(one.client)}`, provider, model, one] as const),
);

describe('override_params', () => {
  it.each(rows)('take the place of what the client wrote elsewhere: %s', async (_, provider, model, { override, client, sent }) => {
    const binding = makeBinding('main', { provider, settings });
    const { body } = await prepare({ binding, body: { model, messages, ...client }, leaf: { override } });
    const upstreamBody: unknown = JSON.parse(body ?? '');
    const found = Object.fromEntries(Object.keys(sent).map((path) => [path, valueAt(upstreamBody, path.split('.'))]));
    expect(found).toEqual(sent);
  });
});
