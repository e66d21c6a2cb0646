import { expect, it } from 'vitest';
import type { CatalogEntry } from './catalog-entry.ts';
import { testProvider } from './test-provider.ts';

it('testProvider reports an error of a custom provider type with masked secrets', async () => {
  const probe = (): never => {
    throw new Error('no region\nfor secret-0123456789');
  };
  const provider = { type: 'own', operations: {}, entry: { probe } };
  const entry = { slug: 'mine', entry: {}, binding: { provider, settings: {}, owner: 'catalog' } } as unknown as CatalogEntry;
  const mask = (text: string): string => text.replaceAll('secret-0123456789', '***');
  const result = await testProvider(entry, { deep: false, outbound: {} as never, timeoutMs: 1000, mask });
  expect(result).toMatchObject({ slug: 'mine', state: 'fail', says: 'no region for ***' });
});
