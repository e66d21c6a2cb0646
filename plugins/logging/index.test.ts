import { expect, it } from 'vitest';
import type { LogRecord } from '#core/records/record.ts';
import { makeHost, setUp } from '../../test/support/stage-context.ts';
import logging from './index.ts';

async function linesWith(options: unknown): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const host = makeHost({ log: { warn: () => undefined, debug: () => undefined, request: (record) => records.push(record) } });
  const plugin = await setUp(logging, options, host);
  plugin.record?.({ id: 'req_1' } as LogRecord);
  return records;
}

it.each([[undefined], [{}], [{ line: true }]])('logs one line for a finished request with options %j', async (options) => {
  expect(await linesWith(options)).toEqual([{ id: 'req_1' }]);
});

it('logs nothing if the option line is false', async () => {
  expect(await linesWith({ line: false })).toEqual([]);
});
