import { describe, expect, it } from 'vitest';
import { UploadLines } from './upload-lines.ts';

const batch = (id: string, model = 'gemini-2.5-flash', extra = {}): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: 'Hi' }], ...extra },
  });
const example = JSON.stringify({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Ho' },
  ],
});
const run = (lines: readonly string[], purpose?: string) => {
  const upload = new UploadLines({}, purpose);
  return { converted: lines.map((line, index) => upload.edit(line, index)), upload };
};

describe('UploadLines', () => {
  it('converts batch lines to rows and notes model and endpoint', () => {
    const { converted: lines, upload } = run([`\uFEFF${batch('a', '@v/gemini-2.5-flash')}`, '', batch('b')]);
    expect(lines.map((line) => (line === undefined ? undefined : (JSON.parse(line) as { requestId: string }).requestId))).toEqual([
      'a',
      undefined,
      'b',
    ]);
    expect(upload.notes).toEqual({ purpose: 'batch', model: 'gemini-2.5-flash', endpoint: '/v1/chat/completions' });
  });

  it('keeps the digits of long numbers in lines of the Messages API', () => {
    const { converted: lines } = run([
      '{"custom_id":"a","url":"/v1/messages","body":{"model":"anthropic.claude-m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"n":9223372036854775807}}]}]}}',
    ]);
    expect(lines[0]).toContain('"input":{"n":9223372036854775807}');
  });

  it('keeps the digits of long numbers in lines for open models', () => {
    const schema = '{"type":"object","properties":{"n":{"type":"integer","maximum":9223372036854775807}}}';
    const { converted: lines } = run([
      `{"custom_id":"a","url":"/v1/chat/completions","body":{"model":"meta.llama-4","seed":9007199254740993,"stream":true,"messages":[],"functions":[{"name":"f","parameters":${schema}}]}}`,
    ]);
    expect(lines[0]).toContain('"seed":9007199254740993');
    expect(lines[0]).toContain(`"parameters":${schema}`);
    expect(lines[0]).not.toContain('"stream"');
  });

  it('converts chat examples to training rows', () => {
    const { converted: lines, upload } = run([example]);
    expect(JSON.parse(lines[0] ?? '')).toHaveProperty('contents');
    expect(upload.notes.purpose).toBe('fine-tune');
  });

  it.each([
    ['batch rows of Vertex AI', ['{"request": {}, "requestId": "a"}', batch('b')]],
    ['training rows of Vertex AI', ['{"contents": []}']],
    ['other content', ['a,b', batch('c')]],
  ])('keeps a file with %s unchanged', (_, lines) => expect(run(lines).converted).toEqual(lines));

  it('keeps rows of Vertex AI unchanged if the purpose is given', () => {
    const row = '{"request": {}, "requestId": "a"}';
    expect(run([row, batch('b')], 'batch').converted[0]).toBe(row);
    expect(run(['{"contents": [], "x": 1.0}'], 'fine-tune').converted).toEqual(['{"contents": [], "x": 1.0}']);
  });

  it('reports each dropped parameter once', () => {
    expect(run([batch('a', undefined, { logit_bias: {} }), batch('b', undefined, { logit_bias: {}, user: 'u' })]).upload.dropped).toEqual([
      { param: 'logit_bias', reason: 'not supported by this service' },
      { param: 'user', reason: 'not supported by this service' },
    ]);
  });

  it.each([
    ['invalid JSON', [batch('a'), '{"custom'], /^Line 2 of the file cannot be converted: it is not a JSON object\.$/, 'file.2'],
    [
      'another model',
      [batch('a'), '', batch('b', 'gemini-2.5-pro')],
      /^Line 3 .*"gemini-2\.5-pro".*"gemini-2\.5-flash"/,
      'file.3.body.model',
    ],
    ['no custom_id', [batch('')], /^Line 1 .*custom_id/, 'file.1.custom_id'],
    ['invalid messages', [batch('a', undefined, { messages: 'x' })], /^Line 1 .*list of objects/, 'file.1.messages'],
  ])('rejects an upload and reports the line number: %s', (_, lines, message, param) => {
    expect(() => run(lines, 'batch')).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message) as string, param }) as Error,
    );
  });
});
