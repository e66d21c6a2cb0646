import type { ValidateFunction } from './ajv.ts';

/** Compiled schemas by `compiledName`. There are none in the sources: `.ci/build.mjs` replaces this module in the package. */
export const compiledSchemas: Readonly<Record<string, (() => Promise<ValidateFunction>) | undefined>> = {};
