import { expect, it } from 'vitest';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { toRow } from './row.ts';

const [attempt] = sampleRecord().attempts;
const answered = { ...attempt, status: 200, outcome: 'answered' } as NonNullable<typeof attempt>;
const limited = { ...answered, provider: 'first', status: 429 };
const late = { ...answered, provider: 'second', status: null, outcome: 'timeout' } as const;

it.each([
  ['without an attempt', [], null],
  ['with one attempt', [limited], null],
  ['of a status', [limited, late, answered], '429'],
  ['of an outcome', [late, limited, answered], 'timeout'],
])('a record %s has the reason of its first fallback or retry', (_, attempts, reason) => {
  expect(toRow(sampleRecord({ attempts }))).toMatchObject({ reason, hops: attempts.slice(0, -1).map(({ provider }) => ({ provider })) });
});
