import { describe, expect, it } from 'vitest';
import { isBatchInput, modelsInLine } from './batch-file.ts';

describe('isBatchInput', () => {
  const form = (fields: Record<string, string>, filename?: string) => ({
    fields: new Map(Object.entries(fields)),
    file: filename === undefined ? undefined : { field: 'file', filename, contentType: undefined },
  });

  it.each([
    [{ purpose: 'batch' }, 'a.bin', true],
    [{ purpose: ' Batch ' }, 'a.bin', true],
    [{ purpose: 'fine-tune' }, 'a.jsonl', false],
    [{}, 'a.jsonl', true],
    [{}, 'a.NDJSON', true],
    [{}, 'a.pdf', false],
    [{}, 'a.jsonl.gz', false],
    [{}, 'ajsonl', false],
    [{}, undefined, false],
  ])('with the fields %j and the file %s returns %s', (fields, filename, expected) => {
    expect(isBatchInput(form(fields, filename))).toBe(expected);
  });
});

describe('modelsInLine', () => {
  const line = (body: string): string => `{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":${body}}`;

  it.each<[string, string, (string | undefined)[]]>([
    ['in the body', line('{"model":"m","messages":[{"content":"\\"model\\":\\"x\\""}]}'), ['m']],
    ['no model', line('{"messages":[]}'), []],
    ['not a string', line('{"model":7}'), [undefined]],
    ['in a tool', line('{"model":"m","tools":[{"model":"t"}]}'), ['m', 't']],
    ['next to the body', '{"model":"t","body":{"model":"m"}}', ['t', 'm']],
    ['in the URL', '{"url":"/v1/x?a=1&model=t","body":{"model":"m"}}', ['m', 't']],
    ['not in a URL that is not a string', '{"url":7,"custom_id":"?model=t","body":{"model":"m"}}', ['m']],
    ['in a URL that is only a query', '{"url":"?model=t","body":{"model":"m"}}', ['m', 't']],
    ['nothing in a blank line', ' \t', []],
    ['with a byte order mark inside', '{"body":{"model":"\ufeffm"}}', ['\ufeffm']],
    ['not in content', line('{"model":"m","messages":[{"model":"t"}],"metadata":{"model":"t"}}'), ['m']],
    ['not in a schema', line('{"model":"m","tools":[{"function":{"parameters":{"properties":{"model":"t"}}}}]}'), ['m']],
    ['with escapes', line('{"mod\\u0065l":"\\u006d"}'), ['m']],
    ['duplicate in a body', line('{"model":"m","model":"n"}'), ['m', 'n']],
    ['in two bodies', '{"body":{"model":"m"},"body":{"model":"n"}}', ['m', 'n']],
    ['unknown in a line that is not strict JSON', '{"custom_id":NaN,"body":{"mod\\u0065l":"m"}}', [undefined]],
    ['unknown in a truncated line', '{"custom_id":"1","body":{"model":"m"', [undefined]],
    ['after a byte order mark', `\ufeff${line('{"model":"m"}')}`, ['m']],
    ['nothing in an empty line', '', []],
    ['unknown in binary data', '%PDF-1.7 \ufffd\u0000', [undefined]],
    ['nothing in a training line', '{"messages":[{"role":"user","content":"hi"}]}', []],
  ])('finds the model: %s', (_name, text, models) => {
    expect(modelsInLine(text).map(({ name }) => name)).toEqual(models);
  });
});
