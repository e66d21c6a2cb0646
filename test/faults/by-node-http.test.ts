import { describe, vi } from 'vitest';

/** Requests that `node:http` parses and undici sends fail in the same way as those of the fast path. */
vi.stubEnv('GATEWAY_TEST_FAST_PATH', 'off');

describe('without the fast path', async () => {
  await import('./clients.test.ts');
  await import('./provider-errors.test.ts');
  await import('./requests.test.ts');
});
