import { describe, expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from './trace.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('parseTraceparent', () => {
  it.each([
    ['version 00', `00-${trace}-${span}-01`, '01'],
    ['a header with the flag "not sampled"', `00-${trace}-${span}-00`, '00'],
    ['a later version without additional fields', `cc-${trace}-${span}-01`, '01'],
    ['a later version with additional fields', `cc-${trace}-${span}-01-what-else`, '01'],
  ])('accepts %s', (_name, value, flags) => {
    expect(parseTraceparent(value)).toEqual({ traceId: trace, parentId: span, flags });
  });

  it.each([
    ['a missing header', undefined],
    ['an empty header', ''],
    ['the invalid version ff', `ff-${trace}-${span}-01`],
    ['additional fields in version 00', `00-${trace}-${span}-01-x`],
    ['upper-case hex digits', `00-${trace.toUpperCase()}-${span}-01`],
    ['a trace ID of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['a parent ID of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
    ['a trace ID that is too short', `00-${trace.slice(1)}-${span}-01`],
    ['a header without flags', `00-${trace}-${span}`],
    ['two values in one header', `00-${trace}-${span}-01, 00-${trace}-${span}-01`],
  ])('ignores %s', (_name, value) => {
    expect(parseTraceparent(value)).toBeUndefined();
  });
});

it('formatTraceparent writes version 00', () => {
  expect(formatTraceparent({ traceId: trace, parentId: span, flags: '01' }, '00000000000000aa')).toBe(`00-${trace}-00000000000000aa-01`);
});
