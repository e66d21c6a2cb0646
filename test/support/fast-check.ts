import { createRequire } from 'node:module';

/**
 * fast-check with a fixed seed, so that a failing run fails again, and no change fails due to an unrelated random case.
 * `GATEWAY_TEST_SEED` sets another seed, or `random`. `vitest.config.ts` replaces fast-check by this module.
 */
const fc = (createRequire(import.meta.url)('fast-check') as typeof import('fast-check')).default;

const { GATEWAY_TEST_SEED: seed = '1' } = process.env;
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });

export default fc;
