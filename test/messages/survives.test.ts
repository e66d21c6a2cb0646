import { JsonBody } from '../../src/core/json/body.ts';
import type { Provider } from '../../src/core/provider.ts';
import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { callOf } from '../contract/call.ts';
import type { Json } from '../contract/gemini-oracle.ts';
import { columns, type Row, rows } from './survives.ts';

/** The table of the documentation page matches the behavior of the providers. */

const providerOf = (type: string): Provider => {
  const found = providers.find((one) => one.type === type);
  if (found === undefined) throw new Error(`no ${type}`);
  return throughHub(found);
};

const targets: { readonly [C in (typeof columns)[number]]: readonly [Provider, model: string, settings: Json] } = {
  'OpenAI, models that reason': [providerOf('openai'), 'gpt-5', {}],
  'Other services of the chat format': [providerOf('groq'), 'llama-3.3-70b', {}],
  Gemini: [providerOf('gemini'), 'gemini-2.5-flash', {}],
  'Bedrock, not Claude': [providerOf('bedrock'), 'amazon.nova-2-lite-v1:0', { region: 'us-east-1' }],
};

function cellOf(row: Row, column: (typeof columns)[number]): string {
  const [provider, model, settings] = targets[column];
  const body = { model, max_tokens: 9000, messages: [{ role: 'user', content: 'Hi' }], ...row.body };
  const translation = provider.operations.messages?.begin(JsonBody.of(body), callOf({ endpoint: 'messages', model, settings }));
  const { request } = translation ?? {};
  const text = request?.body.kind === 'json' ? JSON.stringify(request.body.json()) : '';
  const isLost = request?.dropped.some(({ param }) => param === row.lost) === true;
  const isPresent = row.proof.test(text);
  return isPresent === isLost
    ? `there: ${isPresent}, named: ${request?.dropped.map(({ param }) => param).join()}, ${text}`
    : isPresent
      ? '✓'
      : '–';
}

describe.each(columns.map((column, at) => [column, at] as const))('/v1/messages with the provider group %s', (column, at) => {
  it.each(rows.map((row) => [row.name, row] as const))('behaves as documented for %s', (_name, row) => {
    expect(cellOf(row, column)).toBe(row.cells[at]);
  });
});
