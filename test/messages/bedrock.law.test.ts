import { describe, expect, it } from 'vitest';
import { exchanges, type Exchange, missing, readingOf } from '../bedrock/replayed.ts';
import { skipping } from '../support/skipping.ts';
import { byLibrary, orderProblems, type Content, contentOfMessage } from './content.ts';
import { bedrockConverse, streamOf, wholeOf } from './ways.ts';

/** Every recorded response of Converse means the same to a client of the Messages API. */

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
});
