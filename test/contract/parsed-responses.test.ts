import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import type { Provider } from '../../src/core/provider.ts';
import { begin, callOf } from './call.ts';

/** Whole responses with a call whose arguments contain a number beyond the precision of JavaScript. */
const responses: Readonly<Record<string, string>> = {
  gemini: '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"id":12345678901234567890}}}]},"finishReason":"STOP"}]}',
  anthropic:
    '{"id":"msg_1","type":"message","content":[{"type":"tool_use","id":"t1","name":"f","input":{"id":12345678901234567890}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}',
};

describe('a response that the tap has parsed', () => {
  it.each(Object.entries(responses))('is converted by %s like its text, without parsing it again', (type, text) => {
    const provider = providers.find((one) => one.type === type) as Provider;
    const { tap } = begin(provider, callOf());
    tap.whole(text);
    expect(tap.answer).toBeDefined();
    const converted = JSON.stringify(begin(provider, callOf()).result?.('not read again', tap.answer));
    expect(converted).toBe(JSON.stringify(begin(provider, callOf()).result?.(text)));
    expect(converted).toContain('12345678901234567890');
  });
});
