import { describe, expect, it } from 'vitest';
import { MemoryBudget, MemoryReservation } from '#core/memory/budget.ts';
import type { PromptVersion } from '#core/model/prompt.ts';
import { makeContext, makeSnapshot, refusal, setUp } from '../../test/support/stage-context.ts';
import prompts from './index.ts';

const version: PromptVersion = {
  id: 'p',
  number: 1,
  model: 'm',
  parameters: {},
  config: undefined,
  metadata: {},
  variables: new Map(),
  prints: new Set(),
  reads: new Set(['text']),
  messages: ({ text }) => [{ role: 'user', content: String(text).repeat(1000) }],
};
const stored = { id: 'p', published: version, versions: new Map([[1, version]]), labels: new Map() };

describe('messages of a stored prompt', () => {
  const snapshot = { ...makeSnapshot(), prompts: new Map([['p', stored]]) };
  const run = async (memory: MemoryBudget) => {
    const reservation = new MemoryReservation(memory);
    const overrides = { endpoint: 'prompts/{id}/completions', params: { id: 'p' }, hold: reservation } as const;
    const ctx = makeContext({ snapshot, body: { variables: { text: 'x'.repeat(100) } }, overrides });
    await (await setUp(prompts)).plan?.(ctx, undefined);
    return reservation;
  };

  it('count against the memory for requests', async () => {
    const memory = new MemoryBudget(1_000_000);
    const reservation = await run(memory);
    expect(memory.used).toBeGreaterThan(3 * 100_000);
    reservation.close();
    expect(memory.used).toBe(0);
  });

  it('are rejected with overloaded if there is not enough memory', async () => {
    expect(await refusal(() => run(new MemoryBudget(200_000)))).toMatchObject({ code: 'overloaded' });
  });
});
