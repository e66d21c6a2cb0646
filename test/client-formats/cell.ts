import { expect } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { JsonBody } from '../../src/core/json/body.ts';
import type { Provider } from '../../src/core/provider.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { callOf } from '../contract/call.ts';
import type { Json } from '../contract/gemini-oracle.ts';

/** What the table of a documentation page says of one part of a request. A test converts each. */
export interface Row {
  readonly name: string;
  /** Members of the request, besides those that each request has. */
  readonly body: Json;
  /** Found in every request that carries it. */
  readonly proof: RegExp;
  /** The name under which its loss is told. */
  readonly lost: string;
  /** One character for each column: ✓ carried, – left out and named. */
  readonly cells: string;
}

const providerOf = (type: string): Provider => {
  const found = providers.find((one) => one.type === type);
  if (found === undefined) throw new Error(`no ${type}`);
  return throughHub(found);
};

/** A provider that stands for a column of such a table, and the settings of its calls. */
export interface Column {
  readonly title: string;
  readonly provider: Provider;
  readonly model: string;
  readonly settings: Json;
}

export const column = (title: string, type: string, model: string, settings: Json = {}): Column => ({
  title,
  provider: providerOf(type),
  model,
  settings,
});

/** Converts a request and returns its cell, or a text that says what contradicts it. */
export function cellOf(endpoint: 'messages' | 'responses', { provider, model, settings }: Column, row: Row, base: Json): string {
  const operation = provider.operations[endpoint];
  expect(operation?.isConverted).toBe(true);
  const { request } = operation?.begin(JsonBody.of({ model, ...base, ...row.body }), callOf({ endpoint, model, settings })) ?? {};
  const text = request?.body.kind === 'json' ? JSON.stringify(request.body.json()) : '';
  const isLost = request?.dropped.some(({ param }) => param === row.lost) === true;
  const isPresent = row.proof.test(text);
  if (isPresent !== isLost) return isPresent ? '✓' : '–';
  return `there: ${isPresent}, named: ${request?.dropped.map(({ param }) => param).join()}, ${text}`;
}

/** A table in Markdown: a row for each part, a column for each kind of service. */
export const tableOf = (rows: readonly Row[], titles: readonly string[]): string =>
  [
    `| Part of the request | ${titles.join(' | ')} |`,
    `|---|${':-:|'.repeat(titles.length)}`,
    ...rows.map(({ name, cells }) => `| ${name} | ${cells.split('').join(' | ')} |`),
  ].join('\n');
