import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { outcomeOf, type Row } from './send.ts';
import { services } from './services.ts';

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'));

describe.each(files)('requests of chat clients in %s', (file) => {
  const rows = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as readonly Row[];

  it.each(rows.map((row) => [row.name, row] as const))('%s', (_name, row) => {
    const outcomes = services.map((service) => [service.name, outcomeOf(row, service)]);
    const expected = services.map(({ name, family }) => [name, row.get[name] ?? row.get[family]]);
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));
  });
});
