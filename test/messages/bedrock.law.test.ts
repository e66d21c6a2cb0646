import { describe, expect, it } from 'vitest';
import { responsesDialect } from '../../src/formats/openai-responses/client.ts';
import { exchanges, type Exchange, missing, readingOf } from '../bedrock/replayed.ts';
import { contentOfResponse, eventsOf, problemsOf } from '../responses/content.ts';
import { skipping } from '../support/skipping.ts';
import type { Content } from '../client-formats/content.ts';
import { byLibrary, orderProblems, contentOfMessage } from './content.ts';
import { bedrockConverse, streamOf, wholeOf } from '../client-formats/ways.ts';

/** Every recorded response of Converse means the same to clients of the Messages API and of the responses API. */

const successful = exchanges.filter(({ api, response }) => api.startsWith('converse') && response.status === 200);

const stops: Readonly<Record<string, string>> = { guardrail_intervened: 'refusal', content_filtered: 'refusal' };

function expected(exchange: Exchange): Omit<Content, 'usage'> & { readonly usage: object } {
  const { text, thoughts, tools, usage, stop } = readingOf(exchange);
  const [prompt, completion, cached] = usage;
  return {
    text,
    thinking: thoughts,
    calls: tools.map(({ name, input }) => ({ name, input })),
    stop: stops[stop] ?? stop,
    usage: { prompt, completion, cached, reasoning: 0 },
  };
}

describe.skipIf(skipping(missing))('recorded responses of Converse', () => {
  it('include enough recordings', () => {
    expect(successful.length).toBeGreaterThan(50);
  });

  it.each(successful.map((one) => [one.id, one] as const))('mean the same in the Messages API: %s', async (_id, exchange) => {
    if (exchange.api === 'converse') {
      expect(contentOfMessage(wholeOf(bedrockConverse, exchange.response.body ?? ''))).toEqual(expected(exchange));
      return;
    }
    const bytes = Buffer.from(exchange.response.body_base64 ?? '', 'base64');
    const texts = [Number.POSITIVE_INFINITY, 7, 1021].map((size) => streamOf(bedrockConverse, bytes, size));
    expect(new Set(texts).size).toBe(1);
    expect(orderProblems(texts[0] ?? '')).toEqual([]);
    expect(contentOfMessage(await byLibrary(texts[0] ?? ''))).toEqual(expected(exchange));
  });

  it.each(successful.map((one) => [one.id, one] as const))('mean the same in the responses API: %s', (_id, exchange) => {
    const { stop, ...said } = expected(exchange);
    const meant = { ...said, stop: stop === 'stop_sequence' ? 'end_turn' : stop };
    if (exchange.api === 'converse') {
      expect(contentOfResponse(wholeOf(bedrockConverse, exchange.response.body ?? '', responsesDialect))).toEqual(meant);
      return;
    }
    const bytes = Buffer.from(exchange.response.body_base64 ?? '', 'base64');
    const [text = '', ...others] = [Number.POSITIVE_INFINITY, 7, 1021].map((size) =>
      streamOf(bedrockConverse, bytes, size, responsesDialect),
    );
    expect(new Set([text, ...others]).size).toBe(1);
    expect(problemsOf(text)).toEqual([]);
    expect(contentOfResponse(eventsOf(text).at(-1)?.['response'] as never)).toEqual(meant);
  });
});
