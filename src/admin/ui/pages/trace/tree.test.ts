import { describe, expect, it } from 'vitest';
import { toRow } from '../../../../core/logs/row.ts';
import { attemptSpanId, spanIdOf } from '../../../../core/records/span-ids.ts';
import { sampleRecord } from '../../../../store/fixtures/sample.ts';
import { stepOf, treeOf } from './tree.ts';

const idOf = (name: string): string => `req_01JD3K8ZQ4M6N7P8R9S0T1V${name.toUpperCase().padStart(3, '0')}`;
const lead = '00f067aa0ba902b7';

/** `a`, or `a<parent` for a span with that id; `a~parent` for one whose span is made of the request's id. */
function drawn(...steps: readonly string[]): string[] {
  const rows = steps.map((step) => {
    const [, name = '', kind, parent = null] = /^(\w+)([<~]?)(.*)$/.exec(step) ?? [];
    const span = kind === '~' ? spanIdOf(idOf(name)) : name;
    return toRow(sampleRecord({ id: idOf(name), trace: { ...sampleRecord().trace, span_id: span, parent: parent || null } }));
  });
  return treeOf(rows).map(
    ({ row, span, depth }) => `${'-'.repeat(depth)}${row === null ? `(${span})` : row.id.slice(-3).replace(/^0+/, '')}`,
  );
}

describe('the tree of a trace', () => {
  it.each<[string, string[], string[]]>([
    ['is a list where nobody names a parent', ['a', 'b'], ['A', 'B']],
    ['has children below their parents', ['a', 'b<a', 'c<b', 'd<a'], ['A', '-B', '--C', '-D']],
    ['has children that arrived before their parents', ['c<b', 'b<a', 'a'], ['A', '-B', '--C']],
    ['has a parent that is no request where a person named it', ['b<plan'], ['(plan)', '-B']],
    ['has a parent that is no request where several have it', [`b~${lead}`, `c~${lead}`], [`(${lead})`, '-B', '-C']],
    ['begins with a request whose caller has a span of its own', [`b~${lead}`], ['B']],
    ['has requests that came through a gateway below the one that sent them', ['a', `b~${spanIdOf(idOf('a'))}`], ['A', '-B']],
    [
      'has those below the one whose attempt sent them',
      ['a', `b~${attemptSpanId(idOf('a'), 0)}`, `c~${spanIdOf(idOf('b'))}`],
      ['A', '-B', '--C'],
    ],
    ['begins somewhere in a circle', ['a<c', 'b<a', 'c<b', 'd<d'], ['A', '-B', '--C', 'D']],
    ['has the children of a span that two requests name once', ['a', 'a', 'b<a'], ['A', '-B', 'A']],
  ])('%s', (_what, steps, expected) => {
    expect(drawn(...steps)).toEqual(expected);
  });

  it('of many levels is drawn at a bounded depth', () => {
    const chain = Array.from({ length: 1000 }, (_, n) => (n === 0 ? 's0' : `s${n}<s${n - 1}`));
    const depths = drawn(...chain).map((line) => line.lastIndexOf('-') + 1);
    expect([depths.length, Math.max(...depths)]).toEqual([1000, 12]);
  });
});

it.each([
  ['Search', 's-1', 'Search'],
  [null, 's-1', 's-1'],
  [null, lead, null],
  [null, null, null],
])('the step with the name %j and the span %j is called %j', (name, span, expected) => {
  expect(stepOf({ span_name: name, span })).toBe(expected);
});
