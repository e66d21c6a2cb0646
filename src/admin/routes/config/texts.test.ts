import { expect, it } from 'vitest';
import { createMask } from '../../../core/secrets/mask.ts';
import type { AdminCall } from '../route.ts';
import { textRoutes } from './texts.ts';

it('GET /api/config/files does not need the positions of values, which take long to find', async () => {
  const subject = {
    cwd: '/here',
    loaded: () => ({ revision: 'abc', texts: { '/here/gateway.yaml': 'version: 1\n' }, diagnostics: [] }),
    mask: () => createMask([]),
    written: () => expect.fail('positions were requested'),
  };
  const route = textRoutes.find(({ path }) => path === '/api/config/files');
  const reply = await route?.handle({ subject, query: new URLSearchParams('text_of=all') } as unknown as AdminCall);
  expect(reply).toMatchObject({ json: { revision: 'abc', files: [{ path: 'gateway.yaml', text: 'version: 1\n' }] } });
});
