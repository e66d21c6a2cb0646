import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../contract/gemini-oracle.ts';
import { haveRecordings, recordings } from '../contract/recordings.ts';
import { skipping } from '../support/skipping.ts';
import { request } from './arbitrary.ts';
import { normal, roundTrip } from './requests.ts';

const requests = recordings(['anthropic']).filter(({ api, request: { body } }) => api === 'messages' && body !== undefined);

/** Recorded requests with parts that only this API has: the dropped parameters. */
const losses: Readonly<Record<string, readonly string[]>> = {
  'anthropic-messages-03497291634f': [],
  'anthropic-messages-72927f9b5935': ['messages[].content[].search_result.citations'],
  'anthropic-messages-79a53ec7d534': ['messages[].content[].tool_use.caller', 'messages[].content[].server_tool_use'],
  'anthropic-messages-9fe7a26aefb3': ['messages[].content[].document.citations'],
};

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))(
  'recorded requests of the Messages API',
  () => {
    it('include the expected number of recordings', () => {
      expect(requests.length).toBeGreaterThan(230);
    });

    it.each(requests.map((one) => [one.id, one.request.body ?? {}] as const))('are unchanged after a round trip: %s', (id, body) => {
      const { body: back, dropped } = roundTrip(body);
      expect(dropped).toEqual(losses[id] ?? []);
      if (losses[id] === undefined) expect(normal(back)).toEqual(normal(body));
    });
  },
);

describe('generated requests of the Messages API', () => {
  it('are unchanged after a round trip', () => {
    fc.assert(
      fc.property(request, (body) => {
        const { body: back, dropped } = roundTrip(structuredClone(body) as Json);
        expect({ body: normal(back), dropped }).toEqual({ body: normal(structuredClone(body) as Json), dropped: [] });
      }),
      { numRuns: 500 },
    );
  });
});
