import { describe, expect, it } from 'vitest';
import { UploadLines } from './line-kinds.ts';

const batch = (id: string, model = 'gemini-2.5-flash', more = {}): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: 'Hi' }], ...more },
  });
const example = JSON.stringify({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Ho' },
  ],
});
const run = (lines: readonly string[], purpose?: string) => {
  const upload = new UploadLines({}, purpose);
  return { out: lines.map((line, index) => upload.edit(line, index)), upload };
};

describe('lines of an upload', () => {
  it('of a batch become rows, and tell model and endpoint', () => {
    const { out, upload } = run([`\uFEFF${batch('a', '@v/gemini-2.5-flash')}`, '', batch('b')]);
    expect(out.map((line) => (line === undefined ? undefined : (JSON.parse(line) as { requestId: string }).requestId))).toEqual([
      'a',
      undefined,
      'b',
    ]);
    expect(upload.notes).toEqual({ purpose: 'batch', model: 'gemini-2.5-flash', endpoint: '/v1/chat/completions' });
  });

  it('of the messages API keep the digits of long numbers', () => {
    const { out } = run([
      '{"custom_id":"a","url":"/v1/messages","body":{"model":"anthropic.claude-m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"n":9223372036854775807}}]}]}}',
    ]);
    expect(out[0]).toContain('"input":{"n":9223372036854775807}');
  });

  it('of examples become training rows', () => {
    const { out, upload } = run([example]);
    expect(JSON.parse(out[0] ?? '')).toHaveProperty('contents');
    expect(upload.notes.purpose).toBe('fine-tune');
  });

  it.each([
    ['rows of the service', ['{"request": {}, "requestId": "a"}', batch('b')]],
    ['training rows of the service', ['{"contents": []}']],
    ['anything', ['a,b', batch('c')]],
  ])('that hold %s pass', (_, lines) => expect(run(lines).out).toEqual(lines));

  it('of the service pass where the purpose is said, too', () => {
    const row = '{"request": {}, "requestId": "a"}';
    expect(run([row, batch('b')], 'batch').out[0]).toBe(row);
    expect(run(['{"contents": [], "x": 1.0}'], 'fine-tune').out).toEqual(['{"contents": [], "x": 1.0}']);
  });

  it('name once what they drop', () => {
    expect(run([batch('a', undefined, { logit_bias: {} }), batch('b', undefined, { logit_bias: {}, user: 'u' })]).upload.dropped).toEqual([
      { param: 'logit_bias', reason: 'not supported by this service' },
      { param: 'user', reason: 'not supported by this service' },
    ]);
  });

  it.each([
    ['no JSON', [batch('a'), '{"custom'], /^Line 2 of the file cannot be converted: it is not a JSON object\.$/, 'file.2'],
    [
      'another model',
      [batch('a'), '', batch('b', 'gemini-2.5-pro')],
      /^Line 3 .*"gemini-2\.5-pro".*"gemini-2\.5-flash"/,
      'file.3.body.model',
    ],
    ['no id', [batch('')], /^Line 1 .*custom_id/, 'file.1.custom_id'],
    ['content that cannot be carried', [batch('a', undefined, { messages: 'x' })], /^Line 1 .*list of objects/, 'file.1.messages'],
  ])('that hold %s end the upload with their number', (_, lines, message, param) => {
    expect(() => run(lines, 'batch')).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message) as string, param }) as Error,
    );
  });
});
