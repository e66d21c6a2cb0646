import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSchemas } from '../../.ci/compile-schemas.mjs';
import { providers, stages } from '../../plugins/index.ts';
import { gatewaySchema, providerSchema, withNotes } from '../../src/config/schema/join.ts';
import { authSchema } from '../../src/config/schema/provider-auth.ts';
import type { JsonSchema } from '../../src/core/json/schema.ts';
import { compiledName, Validators } from '../../src/config/validate/schemas/validators.ts';
import { root } from '../repo/tree.ts';
import { describeLoad, loadCase, readCases } from './case.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-schemas-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Compiled = NonNullable<ConstructorParameters<typeof Validators>[1]>;
let compiledSchemas: Compiled = {};
let validators = new Validators();
beforeAll(async () => {
  await compileSchemas(root, folder);
  ({ compiledSchemas } = (await import(pathToFileURL(join(folder, 'index.js')).href)) as { compiledSchemas: Compiled });
  validators = new Validators([], compiledSchemas);
});

describe('compiled schemas of the package', () => {
  it('include the schemas of the gateway, of each provider and of each plugin', () => {
    const all = [
      gatewaySchema(providers),
      ...providers.flatMap((provider) => [providerSchema(provider), authSchema(provider.entry.authModes)]),
      ...stages.map(({ options }) => options),
    ];
    const names = new Set(all.map((schema) => compiledName(withNotes(schema) as JsonSchema)));
    expect(Object.keys(compiledSchemas).toSorted()).toEqual([...names].toSorted());
  });

  it.each(readCases().map((one) => [one.name, one] as const))(
    'report the same diagnostics as the interpreted schemas: %s',
    async (_name, one) => {
      const { loaded, cwd } = await loadCase(one, validators);
      expect(describeLoad(loaded, cwd, one.facts)).toBe(one.expected);
    },
  );
});
