import { describe, expect, it } from 'vitest';
import type { Operation, Provider } from '../../core/provider.ts';
import { throughHub } from './index.ts';

const operation = (name: string, more: Partial<Operation> = {}): Operation => ({
  begin() {
    throw new Error(name);
  },
  ...more,
});

const provider = (operations: Provider['operations']): Provider => ({ type: 'x', aliases: [], operations }) as never;
const body = { kind: 'none' } as const;
const call = (model: string) => ({ model, settings: {}, stream: false, header: () => undefined }) as never;

describe('the way of a route', () => {
  it('is the operation of the provider itself, where it has one', () => {
    const messages = operation('own');
    expect(throughHub(provider({ messages, 'chat/completions': operation('chat') })).operations.messages).toBe(messages);
  });

  it('is its chat, where it has none', () => {
    const { messages } = throughHub(provider({ 'chat/completions': operation('chat') })).operations;
    expect(() => messages?.begin({ ...body }, call('m'))).toThrow('not a list of objects');
  });

  it('is neither where it has no chat', () => {
    const { operations } = throughHub(provider({ embeddings: operation('vectors') }));
    expect([operations.messages, operations['messages/count_tokens']]).toEqual([undefined, undefined]);
  });

  it('depends on the model where only some speak the format', () => {
    const messages = operation('own', { serves: ({ model }) => model === 'claude' });
    const made = throughHub(provider({ messages, 'chat/completions': operation('chat') })).operations.messages;
    expect(() => made?.begin(body, call('claude'))).toThrow('own');
    expect(() => made?.begin(body, call('gpt'))).toThrow('not a list of objects');
  });
});
