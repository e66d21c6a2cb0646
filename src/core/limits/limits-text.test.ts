import { expect, it } from 'vitest';
import { compileLimits, type WrittenLimits } from './caller-limits.ts';
import { limitsText, shownLimits } from './limits-text.ts';

it.each<[WrittenLimits, string]>([
  [
    { rate: '60/min', tokens: '200k/min', budget: '50USD/month', concurrency: 20 },
    '60 requests/min · 200,000 tokens/min · budget 50 USD/month · 20 in flight',
  ],
  [{ rate: '5/s' }, '5 requests/s'],
  [{ tokens: '1.5M/h' }, '1,500,000 tokens/h'],
  [{ rate: '1k/day', budget: '0.5 USD/day' }, '1,000 requests/day · budget 0.5 USD/day'],
])('%j is shown as %s', (written, text) => {
  const limits = compileLimits(written);
  expect(limits === undefined ? '' : limitsText(shownLimits(limits))).toBe(text);
});
