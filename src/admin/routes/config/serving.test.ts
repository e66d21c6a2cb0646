import { expect, it } from 'vitest';
import type { AdminCall } from '../route.ts';
import { servingRoutes } from './serving.ts';

it('the list of revisions waits for the one of a reload that has just ended', async () => {
  const kept: object[] = [];
  const revisions = {
    list: () => kept,
    settled: () => Promise.resolve().then(() => void kept.push({ revision: 'abc', appliedAt: 1, changes: [], files: {} })),
  };
  const subject = { cwd: '/', revisions, snapshot: () => ({ revision: 'abc' }) };
  const route = servingRoutes.find(({ path }) => path === '/api/revisions');
  const reply = await route?.handle({ subject } as unknown as AdminCall);
  expect(reply).toMatchObject({ json: [{ revision: 'abc', serves: true }] });
});
