import { describe, expect, it } from 'vitest';
import { isBatchInput, modelsInLine } from './batch-file.ts';

describe('an upload', () => {
  const form = (fields: Record<string, string>, filename?: string) => ({
    fields: new Map(Object.entries(fields)),
    file: filename === undefined ? undefined : { field: 'file', filename, contentType: undefined },
  });

  it.each([
    [{ purpose: 'batch' }, 'a.bin', true],
    [{ purpose: 'fine-tune' }, 'a.jsonl', false],
    [{}, 'a.jsonl', true],
    [{}, 'a.NDJSON', true],
    [{}, 'a.pdf', false],
    [{}, 'a.jsonl.gz', false],
    [{}, 'ajsonl', false],
    [{}, undefined, false],
  ])('with %j and the file %s holds batch lines: %s', (fields, filename, expected) => {
    expect(isBatchInput(form(fields, filename))).toBe(expected);
  });
});

describe('the models of a line', () => {
  const line = (body: string): string => `{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":${body}}`;

  it.each<[string, string, (string | undefined)[]]>([
    ['its own', line('{"model":"m","messages":[{"content":"\\"model\\":\\"x\\""}]}'), ['m']],
    ['none', line('{"messages":[]}'), []],
    ['no text', line('{"model":7}'), [undefined]],
    ['that of a tool', line('{"model":"m","tools":[{"model":"t"}]}'), ['m', 't']],
    ['one beside the body', '{"model":"t","body":{"model":"m"}}', ['t', 'm']],
    ['in its address', '{"url":"/v1/x?a=1&model=t","body":{"model":"m"}}', ['m', 't']],
    ['of an address that is no text', '{"url":7,"custom_id":"?model=t","body":{"model":"m"}}', ['m']],
    ['in an address that is only a query', '{"url":"?model=t","body":{"model":"m"}}', ['m', 't']],
    ['of a blank line', ' \t', []],
    ['with a byte order mark inside', '{"body":{"model":"\ufeffm"}}', ['\ufeffm']],
    ['not in content', line('{"model":"m","messages":[{"model":"t"}],"metadata":{"model":"t"}}'), ['m']],
    ['not in a schema', line('{"model":"m","tools":[{"function":{"parameters":{"properties":{"model":"t"}}}}]}'), ['m']],
    ['with escapes', line('{"mod\\u0065l":"\\u006d"}'), ['m']],
    ['twice in a body', line('{"model":"m","model":"n"}'), ['m', 'n']],
    ['in two bodies', '{"body":{"model":"m"},"body":{"model":"n"}}', ['m', 'n']],
    ['in what only some read as JSON', '{"custom_id":NaN,"body":{"mod\\u0065l":"m"}}', [undefined]],
    ['in a line that is cut', '{"custom_id":"1","body":{"model":"m"', [undefined]],
    ['behind a byte order mark', `\ufeff${line('{"model":"m"}')}`, ['m']],
    ['of nothing', '', []],
    ['of other bytes', '%PDF-1.7 \ufffd\u0000', [undefined]],
    ['of a training line', '{"messages":[{"role":"user","content":"hi"}]}', []],
  ])('%s', (_name, text, models) => {
    expect(modelsInLine(text).map(({ name }) => name)).toEqual(models);
  });
});
