import { JsonBody } from '../../src/core/json/body.ts';
import type { DialectCall } from '../../src/core/dialect.ts';
import type { WireEvent } from '../../src/core/events.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { SseScanner } from '../../src/transport/outbound/framing/sse.ts';
import { begin, callOf } from '../contract/call.ts';
import type { Recording } from '../contract/recordings.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Gathered, gatherStream, gatherWhole, others } from './assembled.ts';
import { read, type Expected, wantedOf } from './oracle.ts';
import { bad, catalog, successful, missing, type Replay, startReplay } from './recorded.ts';
import { skipping } from '../support/skipping.ts';

const wholes = successful.filter(({ stream }) => !stream);
const streams = successful.filter(({ stream }) => stream);

describe.skipIf(skipping(missing))(`recorded messages as the upstream of chat completions (${missing ?? 'replayed'})`, () => {
  it('include enough recordings of each kind', () => {
    expect([wholes.length, streams.length, bad.length]).toEqual([155, 86, 4]);
  });

  describe.each([true, false])('with strict compliance %s', (strict) => {
    it.each(named(wholes))('%s: converts the whole response', (_id, exchange) => {
      const result = begin(anthropic, callOf({ strict })).result?.(exchange.response.body ?? '');
      const completion = JSON.parse(openaiDialect.answer?.(result, dialectCall(strict)) ?? '') as Record<string, unknown>;
      const expected = wantedOf(read(exchange));
      expectSame(gatherWhole(completion, strict), expected);
      expectBlocks(completion, exchange, strict);
    });

    it.each(named(streams))('%s: converts the stream, however it is split into chunks', (_id, exchange) => {
      const bytes = Buffer.from(exchange.response.body ?? '');
      const expected = wantedOf(read(exchange));
      const once = converted([bytes], strict);
      expectSame(gatherStream(once.text, strict), expected);
      if (!strict) expectStreamedBlocks(gatherStream(once.text, strict), expected);
      expect(once.tap.complete).toBe(true);
      expect(once.tap).toMatchObject({ id: expected.id, model: expected.model, finish: expected.native === null ? [] : [expected.native] });
      const crlf = Buffer.from((exchange.response.body ?? '').replaceAll('\n', '\r\n'));
      for (const pieces of [splitBytes(bytes, 1), splitBytes(crlf, 1), insideCharacters(bytes)])
        expect(converted(pieces, strict).text).toBe(once.text);
    });
  });

  describe('recorded responses through the gateway in chunks of 97 bytes', () => {
    let replay: Replay;
    let gateway: TestGateway;

    beforeAll(async () => {
      replay = await startReplay();
      gateway = await startTestGateway(catalog([...successful, ...bad], replay.url, ',split=97'));
    });
    afterAll(async () => {
      await gateway?.close();
      await replay?.close();
    });

    const send = (exchange: Recording, strict: boolean): Promise<Response> =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gateway-strict-compliance': String(strict) },
        body: JSON.stringify({
          model: `@${exchange.id}/m`,
          messages: [{ role: 'user', content: 'Hi' }],
          stream: exchange.stream,
          stream_options: { include_usage: true },
        }),
      });

    it.each([true, false])('are converted without loss, strict compliance %s', async (strict) => {
      const failures: string[] = [];
      for (const exchange of successful) {
        try {
          const response = await send(exchange, strict);
          expect(response.status).toBe(200);
          const text = await response.text();
          const gathered = exchange.stream ? gatherStream(text, strict) : gatherWhole(JSON.parse(text) as Record<string, unknown>, strict);
          const expected = wantedOf(read(exchange));
          expectSame(gathered, expected);
          const record = await gateway.record(response.headers.get('x-request-id'));
          expect(record).toMatchObject({
            end: 'whole',
            lane: 'full',
            usage: { prompt: expected.usage.prompt, completion: expected.usage.completion, source: 'reported' },
          });
        } catch (error) {
          failures.push(`${exchange.id}: ${(error as Error).message}`);
        }
      }
      expect(failures).toEqual([]);
    });

    it.each(named(bad))('%s: keeps the status, type and message of the error', async (_id, exchange) => {
      const response = await send(exchange, true);
      const { error } = JSON.parse(exchange.response.body ?? '') as { error: { type: string; message: string } };
      const body = (await response.json()) as { error: Record<string, unknown>; provider: string };
      const isAuth = exchange.response.status === 401;
      expect(response.status).toBe(isAuth ? 502 : exchange.response.status);
      expect(body.error['message']).toContain(error.message);
      if (!isAuth)
        expect(body.error).toMatchObject({ message: `anthropic error: ${error.message}`, type: error.type, code: null, param: null });
      expect(body.provider).toBe(exchange.id);
    });
  });

  it('sends thinking blocks and signatures of a response back unchanged in the next turn', () => {
    const thoughtful = successful.filter((exchange) => wantedOf(read(exchange)).thinking.size + wantedOf(read(exchange)).redacted.size > 0);
    expect(thoughtful.length).toBeGreaterThan(15);
    for (const exchange of thoughtful) {
      const expectedBlocks = wantedOf(read(exchange));
      const blocks = historyMessages(exchange).filter((block) => String(block['type']).endsWith('thinking'));
      const expected = [
        ...[...expectedBlocks.thinking]
          .filter(([, { signature }]) => signature !== '')
          .map(([index, block]) => [index, { type: 'thinking', ...block }] as const),
        ...[...expectedBlocks.redacted].map(([index, data]) => [index, { type: 'redacted_thinking', data }] as const),
      ];
      expect(blocks).toEqual(expected.toSorted(([a], [b]) => a - b).map(([, block]) => block));
    }
  });
});

const named = (list: readonly Recording[]): (readonly [string, Recording])[] => list.map((exchange) => [exchange.id, exchange] as const);

const dialectCall = (strict: boolean): DialectCall => ({
  strict,
  includeUsage: true,
  provider: 'anthropic',
  model: 'model-1',
  id: 'req_1',
  createdAt: 1_767_312_000,
});

interface Converted {
  readonly text: string;
  readonly tap: { readonly complete: boolean; readonly id: string | undefined };
}

/** Runs the chunks through scanner, tap, translator and dialect. */
function converted(pieces: readonly Buffer[], strict: boolean): Converted {
  const call = callOf({ strict, stream: true, includeUsage: true });
  const translation = begin(anthropic, call);
  const { tap } = translation;
  const translate = translation.reader?.();
  const write = openaiDialect.write?.(dialectCall(strict));
  if (translate === undefined || write === undefined) throw new Error('no stream');
  const scanner = new SseScanner();
  let text = '';
  const feed = (events: readonly WireEvent[]): void => {
    for (const event of events) {
      tap.event(event);
      for (const one of translate.push(event)) for (const piece of write.push(one)) text += piece;
    }
  };
  for (const piece of pieces) feed(scanner.push(piece).events);
  feed(scanner.end().events);
  for (const one of translate.end()) for (const piece of write.push(one)) text += piece;
  for (const piece of write.end()) text += piece;
  return { text, tap };
}

function splitBytes(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

/** Splits after the first byte of every non-ASCII character. */
function insideCharacters(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if ((bytes[at] ?? 0) < 0xc0) continue;
    pieces.push(bytes.subarray(from, at + 1));
    from = at + 1;
  }
  pieces.push(bytes.subarray(from));
  return pieces;
}

function expectSame(gathered: Gathered, expected: Expected): void {
  expect(gathered.problems).toEqual([]);
  expect(gathered.errors).toEqual([]);
  expect(gathered.isDone).toBe(true);
  expect([...gathered.ids]).toEqual([expected.id]);
  expect([...gathered.models]).toEqual([expected.model]);
  expect(gathered.roles).toEqual(['assistant']);
  expect(gathered.content).toBe(expected.content);
  expect(gathered.calls.map(({ index, id, name }) => ({ index, id, name }))).toEqual(
    expected.calls.map(({ index, id, name }) => ({ index, id, name })),
  );
  expect(gathered.calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual(expected.calls.map(({ input }) => input));
  expect(gathered.finish).toEqual([expected.finish]);
  const { prompt, completion, cached, reasoning } = expected.usage;
  expect(gathered.usages).toMatchObject([
    {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  ]);
}

/** A whole response contains every block unchanged, except tool calls. */
function expectBlocks(completion: Record<string, unknown>, exchange: Recording, strict: boolean): void {
  const choice = (completion['choices'] as { message: Record<string, unknown>; native_finish_reason?: string }[])[0];
  const message = JSON.parse(exchange.response.body ?? '') as { content: { type: string }[]; stop_reason: string };
  expect(choice?.message['content_blocks']).toEqual(strict ? undefined : message.content.filter(({ type }) => type !== 'tool_use'));
  expect(choice?.native_finish_reason).toBe(strict ? undefined : message.stop_reason);
  const cited = message.content.flatMap((block) =>
    ((block as { citations?: { url?: string }[] }).citations ?? []).flatMap(({ url }) => url ?? []),
  );
  const citedUrls = ((choice?.message['annotations'] ?? []) as { url_citation: { url: string } }[]).map(({ url_citation: { url } }) => url);
  expect(citedUrls).toEqual(cited);
}

/** A stream contains the blocks in parts, with the indexes of the API. */
function expectStreamedBlocks(gathered: Gathered, expectedBlocks: Expected): void {
  expect(gathered.native).toEqual(expectedBlocks.native === null ? [] : [expectedBlocks.native]);
  const indices = [...gathered.blocks.keys()].toSorted((a, b) => a - b);
  const expected = [
    ...expectedBlocks.thinking.keys(),
    ...expectedBlocks.redacted.keys(),
    ...expectedBlocks.texts.keys(),
    ...expectedBlocks.others.keys(),
  ];
  expect(indices).toEqual(expected.toSorted((a, b) => a - b));
  for (const [index, { thinking, signature }] of expectedBlocks.thinking) {
    expect(gathered.blocks.get(index)).toMatchObject({ thinking, ...(signature === '' ? {} : { signature }) });
  }
  for (const [index, data] of expectedBlocks.redacted) expect(gathered.blocks.get(index)).toMatchObject({ data });
  for (const [index, text] of expectedBlocks.texts) expect(gathered.blocks.get(index)).toMatchObject({ text });
  for (const [index, citations] of expectedBlocks.citations) {
    expect(gathered.blocks.get(index)?.[others]).toEqual([{ citations }]);
  }
  for (const [index, { raw, input }] of expectedBlocks.others) {
    const block = gathered.blocks.get(index);
    expect(block?.[others][0]).toEqual(raw);
    expect(block?.[others].slice(1)).toEqual(input === '' ? [] : [{ input: JSON.parse(input) as unknown }]);
  }
}

/** The assistant's turn of the next request, built from a response with strict compliance off. */
function historyMessages(exchange: Recording): readonly Record<string, unknown>[] {
  const assistant = exchange.stream ? rebuilt(exchange) : wholeMessage(exchange);
  const calls = (assistant['tool_calls'] ?? []) as { id: string }[];
  const body = {
    model: 'claude-sonnet-4-0',
    max_tokens: 10,
    messages: [
      { role: 'user', content: 'Hi' },
      assistant,
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' })),
      { role: 'user', content: 'Go' },
    ],
  };
  const { request } = begin(anthropic, callOf({ model: 'claude-sonnet-4-0' }), JsonBody.of(body));
  const sent =
    request.body.kind === 'json' ? (request.body.json()['messages'] as { role: string; content: Record<string, unknown>[] }[]) : [];
  return sent[1]?.content ?? [];
}

function wholeMessage(exchange: Recording): Record<string, unknown> {
  const result = begin(anthropic, callOf({ strict: false })).result?.(exchange.response.body ?? '') as {
    choices: { message: Record<string, unknown> }[];
  };
  return result.choices[0]?.message ?? {};
}

/** The message that a client assembles from a stream: blocks by index, their members joined. */
function rebuilt(exchange: Recording): Record<string, unknown> {
  const gathered = gatherStream(converted([Buffer.from(exchange.response.body ?? '')], false).text, false);
  const blocks = [...gathered.blocks]
    .toSorted(([a], [b]) => a - b)
    .map(([, block]) => (block[others].length > 0 ? { ...block[others][0] } : { ...block }));
  const calls = gathered.calls.map(({ id, name, arguments: args }) => ({ id, type: 'function', function: { name, arguments: args } }));
  return { role: 'assistant', content: gathered.content, content_blocks: blocks, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
