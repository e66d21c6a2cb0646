import { describe, expect, it } from 'vitest';
import { Random } from '../random.ts';
import { compareCase, compareCases, cutAt } from './compare.ts';
import corpus from './corpus.json' with { type: 'json' };
import type { WireCase } from './grammar.ts';
import { GatewayReader } from './readers.ts';

/** A short run, always with the same cases. The long run has a million cases with a random seed: `npm run fuzz`. */

describe('the response parser', () => {
  it('reads the same response as undici and Node', async () => {
    const { cases, accepted, broken } = await compareCases({ seed: 20_261_123, cases: 3000 });
    expect(broken).toEqual([]);
    // Without enough valid responses, the comparison would prove nothing.
    expect(accepted).toBeGreaterThan(cases / 5);
  });

  it.each(corpus)(
    'reads a known case as expected, split at any position: $expect, $method $text',
    async ({ expect: expected, method, text }) => {
      const wireCase = { method, text } as WireCase;
      const gatewayReader = new GatewayReader();
      const { reading, why } = await compareCase(gatewayReader, wireCase, new Random(1));
      expect([why, reading.isWhole ? 'whole' : 'fault']).toEqual([undefined, expected]);
      const bytes = Buffer.from(text, 'latin1');
      const others = Array.from(bytes, (_, at) => gatewayReader.read(wireCase, cutAt(bytes, [at])));
      for (const { isWhole, body } of others)
        expect([isWhole, isWhole ? body : '']).toEqual([reading.isWhole, isWhole ? reading.body : '']);
    },
  );
});
