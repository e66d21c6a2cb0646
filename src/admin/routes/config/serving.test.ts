import { expect, it } from 'vitest';
import { reloadLimitMs } from '../../api-types.ts';
import type { AdminCall } from '../route.ts';
import { adminRoutes } from '../table.ts';
import { servingRoutes } from './serving.ts';

it('GET /api/revisions waits for the revision of a reload that has just ended', async () => {
  const storedRevisions: object[] = [];
  const revisions = {
    list: () => storedRevisions,
    settled: () => Promise.resolve().then(() => void storedRevisions.push({ revision: 'abc', appliedAt: 1, changes: [], files: {} })),
  };
  const subject = { cwd: '/', revisions, snapshot: () => ({ revision: 'abc' }) };
  const route = servingRoutes.find(({ path }) => path === '/api/revisions');
  const reply = await route?.handle({ subject } as unknown as AdminCall);
  expect(reply).toMatchObject({ json: [{ revision: 'abc', serves: true }] });
});

it('calls that reload the configuration have a timeout for two loads and the workers', () => {
  const loadsConfig = /^POST \/api\/(?:reload|rollback|keys.*)$/;
  const limits = adminRoutes().flatMap(({ method, path, limitMs }) => (loadsConfig.test(`${method} ${path}`) ? [limitMs ?? 30_000] : []));
  expect(limits).toEqual(Array.from({ length: 5 }, () => reloadLimitMs));
  expect(reloadLimitMs).toBeGreaterThanOrEqual(10_000 + 60_000 + 120_000);
});
