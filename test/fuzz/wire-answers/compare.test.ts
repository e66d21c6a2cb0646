import { describe, expect, it } from 'vitest';
import { Random } from '../random.ts';
import { compareCase, compareCases, cutAt } from './compare.ts';
import corpus from './corpus.json' with { type: 'json' };
import type { WireCase } from './grammar.ts';
import { OurReader } from './readers.ts';

/** The quick share, always the same cases. A million, with a seed of their own: `npm run fuzz`. */

describe('the parser of answers', () => {
  it('takes for an answer what undici and Node take for the same one', async () => {
    const { cases, accepted, broken } = await compareCases({ seed: 20_261_123, cases: 3000 });
    expect(broken).toEqual([]);
    // A grammar that makes nothing but rubbish would prove nothing.
    expect(accepted).toBeGreaterThan(cases / 5);
  });

  it.each(corpus)('reads a known case as others do: $expect, $method $text', async ({ expect: wanted, method, text }) => {
    const given = { method, text } as WireCase;
    const ours = new OurReader();
    const { reading, why } = await compareCase(ours, given, new Random(1));
    expect([why, reading.isWhole ? 'whole' : 'fault']).toEqual([undefined, wanted]);
    const bytes = Buffer.from(text, 'latin1');
    const others = Array.from(bytes, (_, at) => ours.read(given, cutAt(bytes, [at])));
    for (const { isWhole, body } of others) expect([isWhole, isWhole ? body : '']).toEqual([reading.isWhole, isWhole ? reading.body : '']);
  });
});
