import { describe, expect, it } from 'vitest';
import { responsesDialect } from '../../src/formats/openai-responses/client.ts';
import { haveRecordings, type Recording } from '../contract/recordings.ts';
import { contentOfCompletion } from '../client-formats/content.ts';
import { breaksOff, pieceSizes, recordedApis, successful } from '../client-formats/recorded.ts';
import { streamOf, wayOf, wholeOf } from '../client-formats/ways.ts';
import { skipping } from '../support/skipping.ts';
import { contentOfResponse, eventsOf, problemsOf } from './content.ts';

/** Every recorded response in every format means the same to a client of the responses API, with and without streaming. */

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))('recorded responses', () => {
  it('include enough recordings of each API', () => {
    for (const api of recordedApis) expect(successful.filter((one) => one.api === api).length).toBeGreaterThan(40);
  });

  it.each(successful.map((one) => [`${one.provider} ${one.id}`, one] as const))(
    'mean the same in the responses API: %s',
    (_name, exchange) => {
      expectSame(exchange);
    },
  );
});

function expectSame(exchange: Recording): void {
  const way = wayOf(exchange);
  const { whole, stream } = way.forms(exchange);
  const { stop, ...said } = contentOfCompletion(way.completion(whole));
  // This API has no reason of its own for stop sequences.
  const expected = { ...said, stop: stop === 'stop_sequence' ? 'end_turn' : stop };
  expect(contentOfResponse(wholeOf(way, whole, responsesDialect))).toEqual(expected);
  if (stream === undefined) return;
  const texts = pieceSizes.map((size) => streamOf(way, stream, size, responsesDialect));
  expect(new Set(texts).size).toBe(1);
  const [text = ''] = texts;
  if (breaksOff(stream)) {
    const events = eventsOf(text);
    expect(events.at(-1)).toMatchObject({ type: 'error', sequence_number: events.length - 1 });
    return;
  }
  expect(problemsOf(text)).toEqual([]);
  const { response } = eventsOf(text).at(-1) ?? {};
  expect(contentOfResponse(response as never)).toEqual(expected);
}
