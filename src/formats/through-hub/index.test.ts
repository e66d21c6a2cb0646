import { describe, expect, it } from 'vitest';
import type { Operation, Provider } from '../../core/provider.ts';
import { GatewayError } from '../../core/error.ts';
import { JsonBody } from '../../core/json/body.ts';
import { throughHub } from './index.ts';

const operation = (name: string, extra: Partial<Operation> = {}): Operation => ({
  begin() {
    throw new Error(name);
  },
  ...extra,
});

const provider = (operations: Provider['operations']): Provider => ({ type: 'x', aliases: [], operations }) as never;
const body = { kind: 'none' } as const;
const call = (model: string) => ({ model, settings: {}, stream: false, header: () => undefined }) as never;

describe('throughHub', () => {
  it("uses the provider's own operation of a route", () => {
    const messages = operation('own');
    expect(throughHub(provider({ messages, 'chat/completions': operation('chat') })).operations.messages).toBe(messages);
  });

  it('converts to chat completions if the provider has no own operation', () => {
    const { messages } = throughHub(provider({ 'chat/completions': operation('chat') })).operations;
    expect(() => messages?.begin({ ...body }, call('m'))).toThrow('not a list of objects');
  });

  it('offers no route if the provider has no chat completions either', () => {
    const { operations } = throughHub(provider({ embeddings: operation('vectors') }));
    expect([operations.messages, operations['messages/count_tokens']]).toEqual([undefined, undefined]);
  });

  it('chooses by model if only some models support the format', () => {
    const messages = operation('own', { serves: ({ model }) => model === 'claude' });
    const throughHubProvider = throughHub(provider({ messages, 'chat/completions': operation('chat') })).operations.messages;
    expect(() => throughHubProvider?.begin(body, call('claude'))).toThrow('own');
    expect(() => throughHubProvider?.begin(body, call('gpt'))).toThrow('not a list of objects');
  });

  it.each([
    ['messages', { messages: [] }, 'messages[3].content[].image_url', 'messages[].content[].image'],
    ['responses', { input: [] }, 'messages[3].content[].image_url', 'input[].content[].input_image'],
    ['responses', { input: [] }, 'reasoning_effort', 'reasoning.effort'],
  ] as const)('names the parameter of an error as the client of the %s API does: %j, %s', (endpoint, body, param, own) => {
    const chat = operation('chat', {
      begin() {
        throw new GatewayError('unsupported_parameter', { message: 'm', param, hint: 'h' });
      },
    });
    const { operations } = throughHub(provider({ 'chat/completions': chat }));
    expect(() => operations[endpoint]?.begin(JsonBody.of(body), call('m'))).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', message: 'm', param: own, hint: 'h' }) as Error,
    );
  });
});
