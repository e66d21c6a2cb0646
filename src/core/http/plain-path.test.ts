import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPath, decodedSegments, pathFault, pathOf, plainPath } from './plain-path.ts';

it.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1//%63hat/Completions/', '/v1/chat/completions'],
  ['//v1/chat%2Fcompletions', '/v1/chat/completions'],
  ['/v1/%2563hat/completions', '/v1/chat/completions'],
  ['/v1/%ZZ/A', '/v1/%zz/a'],
  ['', '/'],
])('plainPath normalizes %s to %s', (path, expected) => expect(plainPath(path)).toBe(expected));

it.each([
  ['/v1/Chat', ['v1', 'Chat']],
  ['/v1//%63hat/', ['v1', 'chat']],
  ['/v1/a%252Fb', ['v1', 'a', 'b']],
  ['/v1/a%ZZ', ['v1', 'a%ZZ']],
  ['/v1/a%C0', ['v1', 'a%C0']],
  [`/${'%25'.repeat(1)}${'25'.repeat(7)}41`, ['%41']],
  ['', []],
])('decodedSegments splits %s into %j', (path, segments) => expect(decodedSegments(path)).toEqual(segments));

it.each([
  ['/v1/a', '/v1/a'],
  ['/v1/a?b?c', '/v1/a'],
  ['?b', ''],
])('pathOf(%s) without the query is %s', (path, rest) => expect(pathOf({ path })).toBe(rest));

it.each([
  ['a\u0301', 1, undefined],
  ['\uff0e\uff0e', 1, 'contains dot segments'],
  ['a\u0323\u0307', 1000, undefined],
  ['\uff0e\uff0e\u0323\u0307', 200, undefined],
  ['\uff0e\uff0e', 200, undefined],
])('pathFault checks a segment of %j, repeated %d times: %s', (text, repetitions, fault) => {
  const segment = encodeURIComponent(text.repeat(repetitions));
  expect([pathFault(`/v1/${segment}`), pathFault(`/v1/%EF%BC%8E./${segment}`)]).toEqual([fault, 'contains dot segments']);
});

it('checkPath throws route_not_found for an ambiguous path', () => {
  expect(() => checkPath('/v1/a')).not.toThrow();
  expect(() => checkPath('/v1/../a')).toThrow(
    expect.objectContaining({
      code: 'route_not_found',
      message: 'The path contains dot segments.',
      hint: 'Send an unambiguous path: no dot segments, backslashes or control characters.',
    }),
  );
});

describe('pathFault with a safe path', () => {
  it.each([
    '/v1/models/gpt-4o',
    '/v1/models/meta%2Fllama-3.1',
    '/v1/models/a%20b',
    '/v1/models/100%25',
    '/v1/files/gs%3A%2F%2Fbucket%2Fa..b%2Fc...d',
    '/v1/.well-known/x',
    '/v1/a;b=c/d',
    '/v1/a:b@c/(d)',
    '/v1/gr%C3%BC%C3%9Fe',
  ])('accepts %s', (path) => expect(pathFault(path)).toBeUndefined());
});

/** Spellings of two dots followed by a slash. */
const steps = [
  '../',
  '..%2f',
  '..%2F',
  '..%5c',
  '..\\',
  '..;/',
  '..;x=y/',
  '%2e%2e/',
  '%2E%2e%2f',
  '.%2e/',
  '%2e./',
  '%252e%252e/',
  '%252e%252e%252f',
  '%25252e%25252e%25252f',
  '..%252f',
  '..%255c',
  '%c0%ae%c0%ae/',
  '..%c0%af',
  '..%e0%80%af',
  '%ef%bc%8e%ef%bc%8e/',
  '%e2%80%a4%e2%80%a4/',
  '%e2%80%a5/',
  '..%ef%bc%8f',
  '..%e2%88%95',
  '..%ef%bc%bc',
  '.%09./',
  '.%0a./',
  '.%0d%0a./',
  '..%00/',
  '%00../',
  '..%20/',
  './',
  '%2e/',
  '.;/',
] as const;

describe('pathFault with a path that escapes its base', () => {
  it.each(steps)('rejects %s', (step) => {
    for (const path of [`/v1/files/${step}secret`, `/v1/files/a%2f${step}secret`, `/v1/${step}${step}x`])
      expect(pathFault(path)).toEqual(expect.any(String));
  });

  it('rejects it with any surrounding text and percent-encoding', () => {
    const segment = fc.stringMatching(/^[\w-]{1,8}$/);
    const encodedTimes = (text: string, times: number): string => {
      let now = text;
      for (let i = 0; i < times; i += 1)
        now = [...Buffer.from(now, 'utf8')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      return now;
    };
    fc.assert(
      fc.property(segment, segment, fc.constantFrom(...steps), fc.integer({ min: 0, max: 3 }), (before, after, step, times) => {
        const encodedStep = times === 0 ? step : encodedTimes(step, times);
        expect(pathFault(`/v1/${before}/${encodedStep}${after}`)).toEqual(expect.any(String));
      }),
    );
  });
});
