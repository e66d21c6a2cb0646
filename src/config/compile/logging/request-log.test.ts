import { expect, it } from 'vitest';
import type { LoggingEntry } from '../../schema/index.ts';
import { compileRequestLog } from './request-log.ts';

const defaults = {
  isOff: false,
  postgres: undefined,
  spoolSize: 1024 ** 3,
  retention: { age: 14 * 86_400_000, size: 2 * 1024 ** 3 },
  memoryRows: 50_000,
};

it.each<[string, LoggingEntry | undefined, object]>([
  ['logging is not configured', undefined, {}],
  ['logging.requests is off', { requests: 'off' }, { isOff: true }],
  ['the store is SQLite', { requests: { store: 'sqlite' } }, {}],
  ['the store is Postgres', { requests: { store: 'postgres://db/logs' } }, { postgres: 'postgres://db/logs' }],
  ['an age is set', { requests: { retention: { age: '1h' } } }, { retention: { ...defaults.retention, age: 3_600_000 } }],
  [
    'sizes are set',
    { requests: { spool_size: '4KB', retention: { size: '1MB' } } },
    { spoolSize: 4096, retention: { ...defaults.retention, size: 1024 ** 2 } },
  ],
  ['rows are set', { requests: { memory_rows: 100 } }, { memoryRows: 100 }],
])('compileRequestLog() returns the settings if %s', (_name, entry, expected) => {
  expect(compileRequestLog(entry)).toEqual({ ...defaults, ...expected });
});
