import { describe, expect, it } from 'vitest';
import { haveRecordings, type Recording } from '../contract/recordings.ts';
import type { Json } from '../contract/gemini-oracle.ts';
import { python, runScript } from '../sdk/python.ts';
import { skipping } from '../support/skipping.ts';
import { contentOfCompletion } from '../client-formats/content.ts';
import { byLibrary, orderProblems, contentOfMessage } from './content.ts';
import { breaksOff, pieceSizes, recordedApis, successful } from '../client-formats/recorded.ts';
import { streamOf, wayOf, wholeOf } from '../client-formats/ways.ts';

/** Every recorded response in every format means the same to a client of the Messages API, with and without streaming. */

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))('recorded responses', () => {
  it('include enough recordings of each API', () => {
    for (const api of recordedApis) expect(successful.filter((one) => one.api === api).length).toBeGreaterThan(40);
  });

  it.each(successful.map((one) => [`${one.provider} ${one.id}`, one] as const))(
    'mean the same in the Messages API: %s',
    async (_name, exchange) => {
      await expectSame(exchange);
    },
  );
});

const noPython = 'missing' in python ? python.missing : undefined;

describe.skipIf(skipping(noPython ?? (haveRecordings ? undefined : 'there is no recorded traffic next to the checkout')))(
  `recorded responses read by PyPI anthropic (${noPython ?? 'run'})`,
  () => {
    it('mean the same in the Messages API, with and without streaming', async () => {
      if ('missing' in python) return;
      const jobs = successful.map((exchange) => {
        const way = wayOf(exchange);
        const { whole, stream } = way.forms(exchange);
        return {
          id: exchange.id,
          expected: contentOfCompletion(way.completion(whole)),
          whole: JSON.stringify(wholeOf(way, whole)),
          stream: stream === undefined || breaksOff(stream) ? null : streamOf(way, stream, 1021),
        };
      });
      const text = await runScript(python.python, ['../messages/pypi-client.py'], JSON.stringify(jobs));
      const results = JSON.parse(text) as { readonly stream: Json | null; readonly whole: Json }[];
      expect(results.length).toBe(successful.length);
      for (const [at, { stream, whole }] of results.entries()) {
        const { id, expected } = jobs[at] ?? { id: '', expected: undefined };
        expect({ id, said: contentOfMessage(whole) }).toEqual({ id, said: expected });
        if (stream !== null) expect({ id, said: contentOfMessage(stream) }).toEqual({ id, said: expected });
      }
    });
  },
);

async function expectSame(exchange: Recording): Promise<void> {
  const way = wayOf(exchange);
  const { whole, stream } = way.forms(exchange);
  const expected = contentOfCompletion(way.completion(whole));
  expect(contentOfMessage(wholeOf(way, whole))).toEqual(expected);
  if (stream === undefined) return;
  const texts = pieceSizes.map((size) => streamOf(way, stream, size));
  expect(new Set(texts).size).toBe(1);
  if (breaksOff(stream)) {
    expect(texts[0]).toMatch(/event: error\ndata: \{"type":"error","error":\{.*\n\n$/);
    return;
  }
  expect(orderProblems(texts[0] ?? '')).toEqual([]);
  expect(contentOfMessage(await byLibrary(texts[0] ?? ''))).toEqual(expected);
}
