import { describe, expect, it } from 'vitest';
import { toRow } from '../../../../core/logs/row.ts';
import { attemptSpanId, spanIdOf } from '../../../../core/records/span-ids.ts';
import { sampleRecord } from '../../../../store/fixtures/sample.ts';
import { stepOf, treeOf } from './tree.ts';

const idOf = (name: string): string => `req_01JD3K8ZQ4M6N7P8R9S0T1V${name.toUpperCase().padStart(3, '0')}`;
const rootSpan = '00f067aa0ba902b7';

/** `a`, or `a<parent` for a span with that parent id; `a~parent` for one whose span id is derived from the request's id. */
function treeLines(...steps: readonly string[]): string[] {
  const rows = steps.map((step) => {
    const [, name = '', kind, parent = null] = /^(\w+)([<~]?)(.*)$/.exec(step) ?? [];
    const span = kind === '~' ? spanIdOf(idOf(name)) : name;
    return toRow(sampleRecord({ id: idOf(name), trace: { ...sampleRecord().trace, span_id: span, parent: parent || null } }));
  });
  return treeOf(rows).map(
    ({ row, span, depth }) => `${'-'.repeat(depth)}${row === null ? `(${span})` : row.id.slice(-3).replace(/^0+/, '')}`,
  );
}

describe('treeOf()', () => {
  it.each<[string, string[], string[]]>([
    ['returns a list if no span has a parent', ['a', 'b'], ['A', 'B']],
    ['places children below their parents', ['a', 'b<a', 'c<b', 'd<a'], ['A', '-B', '--C', '-D']],
    ['places children that arrived before their parents', ['c<b', 'b<a', 'a'], ['A', '-B', '--C']],
    ['adds a parent that is not a request if it has a readable name', ['b<plan'], ['(plan)', '-B']],
    ['adds a parent that is not a request if several spans share it', [`b~${rootSpan}`, `c~${rootSpan}`], [`(${rootSpan})`, '-B', '-C']],
    ['starts with a request whose parent is a span of the caller', [`b~${rootSpan}`], ['B']],
    ['places requests that passed another gateway below the request that sent them', ['a', `b~${spanIdOf(idOf('a'))}`], ['A', '-B']],
    [
      'places requests below the request whose attempt sent them',
      ['a', `b~${attemptSpanId(idOf('a'), 0)}`, `c~${spanIdOf(idOf('b'))}`],
      ['A', '-B', '--C'],
    ],
    ['starts at any span of a cycle', ['a<c', 'b<a', 'c<b', 'd<d'], ['A', '-B', '--C', 'D']],
    ['places the children of a span id shared by two requests once', ['a', 'a', 'b<a'], ['A', '-B', 'A']],
  ])('%s', (_name, steps, expected) => {
    expect(treeLines(...steps)).toEqual(expected);
  });

  it('limits the depth of a trace with many levels', () => {
    const chain = Array.from({ length: 1000 }, (_, n) => (n === 0 ? 's0' : `s${n}<s${n - 1}`));
    const depths = treeLines(...chain).map((line) => line.lastIndexOf('-') + 1);
    expect([depths.length, Math.max(...depths)]).toEqual([1000, 12]);
  });
});

it.each([
  ['Search', 's-1', 'Search'],
  [null, 's-1', 's-1'],
  [null, rootSpan, null],
  [null, null, null],
])('stepOf() with the name %j and the span %j returns %j', (name, span, expected) => {
  expect(stepOf({ span_name: name, span })).toBe(expected);
});
