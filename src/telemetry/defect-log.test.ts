import { expect, it } from 'vitest';
import { DefectLog } from './defect-log.ts';
import { createLog } from './log.ts';

function createDefectLog(): { defects: DefectLog; lines(): Record<string, unknown>[]; wait(ms: number): void } {
  let now = 0;
  let text = '';
  const log = createLog({
    level: 'error',
    format: 'json',
    stdout: { write: (chunk: string) => (text += chunk) },
    now: () => 0,
    clockTime: String,
    requestLine: () => '',
  });
  return {
    defects: new DefectLog(log, () => now),
    lines() {
      void log.flush();
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    wait: (ms) => (now += ms),
  };
}

it('logs the request id and the stack of the error', () => {
  const { defects, lines } = createDefectLog();
  defects.report(new Error('boom'), 'req_1');
  expect(lines()).toMatchObject([
    { level: 'error', request: 'req_1', err: { message: 'boom', stack: expect.stringContaining('defect-log.test') as string } },
  ]);
});

it('limits the number of logged errors and then logs how many were omitted', () => {
  const { defects, lines, wait } = createDefectLog();
  for (let n = 0; n < 1000; n += 1) defects.report(new Error('boom'), `req_${n}`);
  expect(lines()).toHaveLength(20);
  wait(10_001);
  defects.report(new Error('boom'), 'req_last');
  expect(lines().slice(20)).toMatchObject([{ request: 'req_last', not_logged: 980 }]);
});

it('accepts any thrown value', () => {
  const { defects, lines } = createDefectLog();
  const hostile = {
    get message(): string {
      throw new Error('not even this');
    },
  };
  for (const thrownValue of [undefined, null, 'text', 7n, Symbol('s'), hostile, Object.assign(new Error('x'), { self: 1n })])
    defects.report(thrownValue, 'req_1');
  expect(lines().every((line) => line['request'] === 'req_1')).toBe(true);
  expect(lines()).toHaveLength(7);
});
