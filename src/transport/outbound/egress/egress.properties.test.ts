import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAddressRules } from './address.ts';
import { createEgress } from './egress.ts';

describe('the egress rules, for any input', () => {
  const rules = createAddressRules();
  const egress = createEgress(() => []);

  test('accepts only https or wss without user information and with a public host', () => {
    const piece = fc.constantFrom(
      'https://',
      'http://',
      '@',
      '127.0.0.1',
      '.',
      ':',
      '/',
      '\\',
      '[',
      ']',
      '::ffff:',
      '0x7f',
      '1',
      'a',
      '%2e',
      '#',
      '?',
      ' ',
      '\t',
      'é',
      'localhost',
      'example.com',
      '10.0.0.1',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
          fc.string().map((text) => `https://${text}`),
          fc.webUrl(),
        ),
        (text) => {
          if (egress.check(text, 'request') !== undefined) return;
          const url = new URL(text);
          expect(['https:', 'wss:']).toContain(url.protocol);
          expect(url.username + url.password).toBe('');
          expect(url.hostname).not.toMatch(/(^|\.)(localhost|local|internal|lan|corp|test)$|\.$|^(10|127)\.[\d.]+$/);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('classifies an IPv4 address the same alone and inside IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(rules.isPublic(`::ffff:${address}`)).toBe(rules.isPublic(address));
        expect(rules.isPublic(`64:ff9b::${address}`)).toBe(rules.isPublic(address));
      }),
    );
  });

  test('classifies an IPv6 address outside global unicast as not public', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(address.split(':')[0] || '0', 16);
        if (first >> 13 === 1 || (first === 0x64 && /^0*64:ff9b:/i.test(address)) || /^[0:]*:ffff:/i.test(address)) return;
        expect(rules.isPublic(address)).toBe(false);
      }),
    );
  });
});
