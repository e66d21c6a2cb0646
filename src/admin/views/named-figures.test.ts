import { expect, it } from 'vitest';
import type { LogReader, Stats, StatsRequest } from '../../core/logs/reader.ts';
import { parseFilter } from '../../query/parse.ts';
import { toStorable } from '../../query/text.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { noFigures } from '../health.ts';
import { figuresOf, readLog } from './named-figures.ts';

/** Returns a count for each value named in a query. */
function fakeLogs(): { readonly logs: LogReader; readonly requests: StatsRequest[] } {
  const requests: StatsRequest[] = [];
  const stats = async (request: StatsRequest): Promise<Stats> => {
    requests.push(request);
    const parsed = parseFilter(request.query, Date.UTC(2026, 10, 23));
    if ('problem' in parsed) throw new Error(parsed.problem.message);
    const terms = parsed.filter.terms.flatMap((term) => (term.kind === 'field' ? term.any : []));
    const names = terms.flatMap((test) => (test.kind === 'equal' ? [String(test.value)] : []));
    return {
      since: 0,
      until: 0,
      uncounted_since: null,
      total: noFigures,
      series: [],
      rest: null,
      groups: names.map((name) => ({ ...noFigures, name, requests: name.length })),
    };
  };
  return { requests, logs: { stats } as unknown as LogReader };
}

it('figuresOf() returns figures for many names in queries that a filter can contain', async () => {
  const names = [
    ...Array.from({ length: 150 }, (_, n) => `key-${n}`),
    ...Array.from({ length: 8 }, (_, n) => `${n}`.repeat(700)),
    'a "b" \\ c,d*',
  ];
  const { logs, requests } = fakeLogs();
  const figures = await figuresOf(logs, 'key', names, '2026-11-01');
  expect(names.map((name) => figures(name).requests)).toEqual(names.map((name) => toStorable(name).length));
  expect(requests.length).toBeLessThan(10);
  expect(figures('unknown')).toEqual(noFigures);
});

it('readLog() returns the reason why the log cannot be read, with secrets masked', async () => {
  const failingLogs = { stats: () => Promise.reject(new Error('away: the-password')) } as unknown as LogReader;
  const mask = createMask(['the-password']);
  const read = (logs: LogReader | undefined) =>
    readLog({ logs: () => logs, mask: () => mask }, (from) => figuresOf(from, 'key', ['a'], '1h'));
  expect([await read(failingLogs), await read(undefined)]).toEqual([
    { found: undefined, fault: expect.stringMatching(/^away: (?!the)/) },
    { found: undefined, fault: 'The request log is switched off.' },
  ]);
});

it('figuresOf() rejects figures that count only a part of the requests', async () => {
  const { logs } = fakeLogs();
  const partly = { stats: async (request: StatsRequest) => ({ ...(await logs.stats(request)), uncounted_since: 0 }) };
  await expect(figuresOf(partly, 'key', ['a'], '2026-11-01')).rejects.toMatchObject({ code: 'log_unavailable' });
});
