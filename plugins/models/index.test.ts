import { describe, expect, it } from 'vitest';
import type { Reply } from '#core/plan.ts';
import { makeAttempt, makeContext, makeKey, makeLeaf, setUp } from '../../test/support/stage-context.ts';
import models from './index.ts';

describe('the model list of a provider', () => {
  const row = (id: string) => ({ id, object: 'model' });
  // llama.cpp also lists its models in the format of another server.
  const list = { object: 'list', data: [row('small'), row('big')], models: [{ name: 'small' }, { name: 'big' }], n: 7 };
  const text = JSON.stringify(list);

  const listModels = async (allowsModel: (model: string) => boolean): Promise<unknown> => {
    const ctx = makeContext({ caller: { key: makeKey('k', { allowsModel }) }, overrides: { endpoint: 'models', method: 'GET' } });
    const reply: Reply = { status: 200, headers: [], body: Buffer.from(text), flow: undefined };
    await (await setUp(models)).reply?.(ctx, makeAttempt(makeLeaf()), reply);
    return JSON.parse(String(reply.body));
  };

  it('contains only models that the key may use, without other lists', async () => {
    expect(await listModels((model) => model === 'small')).toEqual({ object: 'list', data: [row('small')], n: 7 });
  });

  it('is unchanged if the key may use every model', async () => {
    expect(await listModels(() => true)).toEqual(JSON.parse(text));
  });
});
