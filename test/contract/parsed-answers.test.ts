import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { callOf } from './call.ts';

/** Whole answers with a call whose arguments hold a number that JavaScript can't. */
const answers: Readonly<Record<string, string>> = {
  gemini: '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"id":12345678901234567890}}}]},"finishReason":"STOP"}]}',
  anthropic:
    '{"id":"msg_1","type":"message","content":[{"type":"tool_use","id":"t1","name":"f","input":{"id":12345678901234567890}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}',
};

describe('an answer that the tap has parsed', () => {
  it.each(Object.entries(answers))('is converted by %s like its text', (type, text) => {
    const operation = providers.find((provider) => provider.type === type)?.operations['chat/completions'];
    const call = callOf();
    const tap = operation?.tap(call);
    tap?.whole(text);
    expect(tap?.answer).toBeDefined();
    const converted = JSON.stringify(operation?.result?.('not read again', call, tap?.answer));
    expect(converted).toBe(JSON.stringify(operation?.result?.(text, call)));
    expect(converted).toContain('12345678901234567890');
  });
});
