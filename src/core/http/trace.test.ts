import { describe, expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from './trace.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('reading traceparent', () => {
  it.each([
    ['the version of today', `00-${trace}-${span}-01`, '01'],
    ['not sampled', `00-${trace}-${span}-00`, '00'],
    ['a later version', `cc-${trace}-${span}-01`, '01'],
    ['a later version that says more', `cc-${trace}-${span}-01-what-else`, '01'],
  ])('takes %s', (_what, value, flags) => {
    expect(parseTraceparent(value)).toEqual({ traceId: trace, parentId: span, flags });
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['a version that may not be', `ff-${trace}-${span}-01`],
    ['more than this version says', `00-${trace}-${span}-01-x`],
    ['capitals', `00-${trace.toUpperCase()}-${span}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['a step of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
    ['a short trace', `00-${trace.slice(1)}-${span}-01`],
    ['no flags', `00-${trace}-${span}`],
    ['two of them', `00-${trace}-${span}-01, 00-${trace}-${span}-01`],
  ])('passes over %s', (_what, value) => {
    expect(parseTraceparent(value)).toBeUndefined();
  });
});

it('is written in the version of today', () => {
  expect(formatTraceparent({ traceId: trace, parentId: span, flags: '01' }, '00000000000000aa')).toBe(`00-${trace}-00000000000000aa-01`);
});
