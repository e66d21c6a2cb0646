import { JsonBody } from '../../src/core/json/body.ts';
import { GatewayError } from '../../src/core/error.ts';
import { describe, expect, it } from 'vitest';
import gemini from '../../plugins/providers/gemini/index.ts';
import vertexAi from '../../plugins/providers/vertex-ai/index.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { begin, callOf } from './call.ts';
import { mediaRows } from './requests/media.ts';
import { messageRows } from './requests/messages.ts';
import { otherRows } from './requests/other-routes.ts';
import { paramRows } from './requests/params.ts';
import { locationRows } from './requests/locations.ts';
import { modelsUrl, type RequestRow } from './requests/row.ts';
import { countRows } from './requests/token-counts.ts';
import { schemaRows, toolRows } from './requests/tools.ts';

const rows: readonly RequestRow[] = [
  ...messageRows,
  ...mediaRows,
  ...toolRows,
  ...schemaRows,
  ...paramRows,
  ...locationRows,
  ...otherRows,
  ...countRows,
];

describe('requests to Gemini and Vertex AI', () => {
  it('have enough cases with unique names', () => {
    expect(rows.length).toBeGreaterThan(120);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  it.each(rows.map((row) => [row.name, row] as const))('%s', (_name, row) => {
    if (row.refused === undefined) expectSent(row);
    else expectRefused(row, row.refused);
  });
});

function send(row: RequestRow) {
  const own = row.provider === 'gemini' ? gemini : vertexAi;
  const provider = countRows.includes(row) ? throughHub(own) : own;
  const call = callOf({
    endpoint: row.endpoint ?? 'chat/completions',
    model: row.model ?? 'gemini-2.5-flash',
    settings: row.settings ?? { region: 'us-central1', project: 'p1' },
    stream: row.stream ?? false,
    showsReasoning: row.showsReasoning,
    header: (name) => row.headers?.[name],
    media: new Map(Object.entries(row.media ?? {})),
  });
  const body = JsonBody.of(row.body);
  const before = body.bytes().toString();
  const { request } = begin(provider, call, body);
  expect(body.bytes().toString()).toBe(before);
  return request;
}

function expectSent(row: RequestRow): void {
  const request = send(row);
  const text = request?.body.kind === 'json' ? request.body.bytes().toString() : '';
  if (row.text === undefined) expect(JSON.parse(text)).toEqual(row.upstream);
  else expect(text).toContain(row.text);
  expect(`${request?.origin}${request?.path}`).toBe(row.url ?? `${modelsUrl}/publishers/google/models/gemini-2.5-flash:generateContent`);
  const headers = request?.headers ?? [];
  expect(Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])))).toEqual({
    accept: row.stream === true ? 'text/event-stream' : 'application/json',
    'content-type': 'application/json',
    ...row.sent,
  });
  // Rows about schemas check the converted schema; other rows check the reported keywords.
  const dropped = (request?.dropped ?? []).map(({ param }) => param);
  const isSchema = (param: string): boolean => param.includes('.parameters.') || param.includes('.schema.');
  expect(row.dropped === undefined ? dropped.filter((param) => !isSchema(param)) : dropped).toEqual(row.dropped ?? []);
}

function expectRefused(row: RequestRow, [code, param]: NonNullable<RequestRow['refused']>): void {
  let thrown: unknown;
  try {
    send(row);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(GatewayError);
  expect(thrown).toMatchObject({ code, param });
}
