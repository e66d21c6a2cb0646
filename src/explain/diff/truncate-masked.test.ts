import { expect, it } from 'vitest';
import { truncateMasked } from './truncate-masked.ts';

const secret = 's'.repeat(6000);
const hide = (text: string): string => text.replaceAll(secret, '(secret)');

it.each<[string, string, boolean, string]>([
  ['a short text', 'short', false, 'short'],
  ['a long text', 'x'.repeat(50_000), false, `${'x'.repeat(9)}…`],
  ['a text that is cut within a character', `${'x'.repeat(8)}😀 and more`, false, `${'x'.repeat(8)}\uFFFD…`],
  ['a secret', `x${secret}`, false, 'x(secret)'],
  ['a secret before a long text', `x${secret}${'y'.repeat(50_000)}`, false, 'x(secret)…'],
  ['many secrets', secret.repeat(9), false, '…'],
  ['a secret that the caller has cut', secret.slice(0, 5000), true, '…'],
])('the beginning of %s', (_, text, isCut, expected) => {
  expect(truncateMasked(text, 10, hide, isCut)).toBe(expected);
});
