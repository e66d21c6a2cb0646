import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { Provider } from '#core/provider.ts';
import type { ProviderFault } from '#core/error.ts';
import { describe, expect, it } from 'vitest';
import { begin, callOf, formOf } from '../../../test/contract/call.ts';
import providers, { vendors } from './index.ts';

type Json = Readonly<Record<string, unknown>>;

/** Requests and responses of a service, written by hand. */
interface Fixture {
  /** `get` is what it must be sent for `send`; the id `ID` matches any nine letters and digits. */
  readonly requests?: readonly { quirk: string; endpoint?: Endpoint; model?: string; send: Json; get: Json; dropped: readonly string[] }[];
  /** Responses without streaming, as clients get them. */
  readonly answers?: readonly { quirk?: string; source: string; endpoint: Endpoint; body: unknown; get: unknown }[];
  readonly faults?: readonly { source: string; status: number; body: Json | string; fault: ProviderFault }[];
  readonly streams?: readonly { source: string; events: readonly (Json | string)[]; usage: Json; finish: readonly string[] }[];
}

function fixtureOf(type: string): Fixture {
  const file = join(import.meta.dirname, 'fixtures', `${type}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Fixture) : {};
}

const text = (value: Json | string): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A body that every service accepts unchanged. */
const withoutComments =
  '{ "model":"m", "temperature":1.0, "messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Bye"}], "hologram":{"a":1} }';

describe.each(vendors.map((row) => [row.type, row] as const))('%s', (type, row) => {
  const provider = providers.find((candidate) => candidate.type === type) as Provider;
  const fixture = fixtureOf(type);
  const sent = (body: string, model: string, endpoint: Endpoint = 'chat/completions') => {
    const request = begin(provider, callOf({ model, endpoint }), JsonBody.from(Buffer.from(body))).request;
    return {
      text: request.body.kind === 'json' ? request.body.bytes().toString() : '',
      dropped: request.dropped.map(({ param }) => param),
    };
  };

  it('has an https source for its docs and for each quirk', () => {
    for (const { source } of [{ source: row.docs }, ...(row.quirks ?? [])]) expect(source).toMatch(/https:\/\/[a-z]/);
    expect(new URL(row.host).pathname).not.toMatch(/\/$/);
  });

  it('forwards a request without quirks unchanged', () => {
    expect(sent(withoutComments, 'm')).toEqual({ text: withoutComments, dropped: [] });
  });

  it('is offered only the tools of allowed_tools', () => {
    const [a, b] = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }));
    const named = { type: 'function', function: { name: 'b' } };
    const received = (tool_choice: unknown) => {
      const { text, dropped } = sent(JSON.stringify({ model: 'm', messages: [], tools: [a, b], tool_choice }), 'm');
      const { tools, tool_choice: choice } = JSON.parse(text) as Json;
      return [tools, choice, dropped];
    };
    for (const [mode, tools] of [
      ['auto', [named]],
      ['required', [named]],
    ] as const) {
      expect(received({ type: 'allowed_tools', allowed_tools: { mode, tools } })).toEqual([[b], mode, []]);
      expect(received({ type: 'allowed_tools', mode, tools })).toEqual([[b], mode, []]);
    }
    const other = { type: 'function', function: { name: 'c' } };
    expect(received({ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [other] } })).toEqual([
      [a, b],
      undefined,
      ['tool_choice'],
    ]);
    expect(received('auto')).toEqual([[a, b], 'auto', []]);
  });

  it('has a fixture for every quirk', () => {
    const named = [...(fixture.requests ?? []), ...(fixture.answers ?? [])].flatMap(({ quirk }) => quirk ?? []);
    expect([...new Set(named)].toSorted()).toEqual(row.quirks?.map(({ name }) => name).toSorted() ?? []);
  });

  it.each(fixture.requests ?? [])('converts a request for quirk $quirk', ({ model = 'm', endpoint, send, get, dropped }) => {
    const received = sent(JSON.stringify({ model, ...send }), model, endpoint);
    const anyId = received.text.replaceAll(/("id"|"tool_call_id"):"[a-z0-9]{9}"/g, (match, key: string) =>
      text(get).includes('"ID"') ? `${key}:"ID"` : match,
    );
    expect(JSON.parse(anyId)).toEqual({ model, ...get });
    expect(received.dropped).toEqual(dropped);
  });

  it.each(fixture.answers ?? [])('converts a response to what clients expect: $endpoint, $source', ({ endpoint, body, get }) => {
    const sent = JSON.stringify(body);
    const translation = begin(provider, callOf({ endpoint, method: 'GET' }));
    translation.tap.whole(sent);
    expect(translation.tap.complete).toBe(true);
    expect(JSON.parse(translation.repair?.(sent) ?? sent)).toEqual(get);
  });

  it.each(fixture.faults ?? [])('parses an error body: $status, $source', ({ status, body, fault }) => {
    expect(provider.fault(status, text(body))).toEqual(fault);
  });

  it.each(fixture.streams ?? [])('reports usage of a stream: $source', ({ events, usage, finish }) => {
    const { tap } = begin(provider, callOf({ stream: true }));
    for (const event of events) tap.event({ name: '', data: text(event) });
    expect({ usage: tap.usage, finish: tap.finish, complete: tap.complete, fault: tap.fault }).toEqual({
      usage,
      finish,
      complete: true,
      fault: undefined,
    });
  });
});

it.each(vendors.filter(({ routes }) => routes.includes('batches')).map(({ type }) => type))(
  "%s gets the lines of a batch without the gateway's slug",
  (type) => {
    const provider = providers.find((one) => one.type === type) as Provider;
    const edit = (purpose: string) => {
      const { body } = begin(provider, callOf({ endpoint: 'files', model: '', form: formOf({ purpose }) })).request;
      return body.kind === 'form' ? body.edit : expect.fail('no form');
    };
    const line = (model: string) => JSON.stringify({ custom_id: '1', method: 'POST', url: '/v1/chat/completions', body: { model } });
    expect([edit('batch')?.line?.(line(`@${type}/m`), 0), edit('batch')?.line?.(line('m'), 1)]).toEqual([line('m'), line('m')]);
    expect(edit('fine-tune')).toBeUndefined();
  },
);
