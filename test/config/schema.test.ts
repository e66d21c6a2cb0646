import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { providers, stages } from '../../plugins/index.ts';
import { generateSchema } from '../../src/config/schema/generate.ts';
import { readCases } from './case.ts';

const file = join(import.meta.dirname, '../../configs/schema/gateway.schema.json');

describe('JSON schema for editors', () => {
  const schema = generateSchema(providers, stages);
  const isValid = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false }).compile(schema);
  const cases = readCases().filter((one) => one.files.size === 1 && !one.expected.includes('[yaml-syntax]'));

  it('is the generated file', () => {
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });

  it.each(cases.filter((one) => one.expected.includes('\nok\n') || one.expected.startsWith('ok\n')).map((one) => [one.name, one] as const))(
    'accepts %s',
    (name, one) => {
      // These load, but the schema accepts neither deprecated and camelCase spellings nor empty sections.
      const other = ['ok-pasted-config', 'deprecated-spellings', 'ok-empty-sections', 'ok-camel-case-below-override-params-stays'];
      const value: unknown = parse(one.files.get('gateway.yaml') ?? '', { merge: true });
      expect({ valid: isValid(value), errors: isValid.errors ?? [] }).toMatchObject(
        other.includes(name) ? { valid: false } : { valid: true },
      );
    },
  );

  it.each([
    'unknown-key-near',
    'unknown-key-of-the-type',
    'wrong-type-yes',
    'missing-key-type',
    'out-of-range-attempts',
    'unknown-key-plugin-options',
  ])('rejects %s', (name) => {
    const one = cases.find((candidate) => candidate.name === name);
    expect(isValid(parse(one?.files.get('gateway.yaml') ?? ''))).toBe(false);
  });

  it('has a description for every key', () => {
    const silent: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      const { properties } = value as { properties?: Record<string, Record<string, unknown>> };
      for (const [key, inner] of Object.entries(properties ?? {})) {
        if (inner['description'] === undefined && inner['$ref'] === undefined) silent.push(`${path}.${key}`);
        visit(inner, `${path}.${key}`);
      }
    };
    visit(schema, '');
    for (const [name, def] of Object.entries(schema['$defs'] as Record<string, unknown>)) visit(def, name);
    expect(silent).toEqual([]);
  });
});
