import { describe, expect, it } from 'vitest';
import { makeBinding, makeContext, makeSnapshot, refusal, setUp } from '../../test/support/stage-context.ts';
import virtualKey from './index.ts';

const azure = makeBinding('azure-eu');
const team = makeBinding('azure-eu', { virtualKey: 'batch-team' });
const snapshot = makeSnapshot({ providers: [azure], virtualKeys: { 'batch-team': team } });

async function admit(headers: Record<string, string>) {
  const plugin = await setUp(virtualKey);
  return plugin.admit?.(makeContext({ snapshot, headers }));
}

describe('virtual-key', () => {
  it.each([
    ['a virtual key', { 'x-gateway-virtual-key': 'batch-team' }, team],
    ['a slug of the catalog', { 'x-gateway-virtual-key': 'azure-eu' }, azure],
    ['a slug with @', { 'x-gateway-virtual-key': '@azure-eu/gpt-4o' }, azure],
    ['a virtual key in a header with another prefix', { 'x-portkey-virtual-key': 'batch-team' }, team],
  ])('finds %s', async (_, headers, binding) => {
    expect((await admit(headers))?.virtualKey).toBe(binding);
  });

  it.each([{}, { 'x-gateway-virtual-key': '' }])('returns nothing for %j', async (headers) => {
    expect(await admit(headers)).toBeUndefined();
  });

  it('reports an unknown name with the nearest one and the header as it was sent', async () => {
    const error = await refusal(() => admit({ 'x-portkey-virtual-key': 'batch-taem' }));
    expect(error).toMatchObject({ code: 'provider_not_found', status: 404, param: 'x-portkey-virtual-key' });
    expect(error.message).toBe('No virtual key or provider is named "batch-taem". Did you mean "batch-team"?');
  });
});
