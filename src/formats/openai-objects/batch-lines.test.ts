import { describe, expect, it } from 'vitest';
import { batchLine } from './batch-lines.ts';

const names = { deployment: (alias: string) => ({ fast: 'dep-1', odd: 'a "b"' })[alias] };
const dated = batchLine({ ...names, isDated: true });
const v1 = batchLine({ ...names, isDated: false });

const line = (url: string, model: string): string =>
  `{"custom_id":"r-1", "url":${url},"method":"POST","body":{"seed":12345678901234567890,"model":${model},"ü":1.0}}`;

describe('batchLine', () => {
  it.each([
    [
      'an alias and the version',
      line('"/v1/chat/completions"', '"fast"'),
      line('"/chat/completions"', '"dep-1"'),
      line('"/v1/chat/completions"', '"dep-1"'),
    ],
    ['a slug', line('"/v1/responses"', '"@team/fast"'), line('"/responses"', '"dep-1"'), line('"/v1/responses"', '"dep-1"')],
    [
      'a slug before a model without alias',
      line('"/chat/completions"', '"@team/gpt"'),
      line('"/chat/completions"', '"gpt"'),
      line('"/chat/completions"', '"gpt"'),
    ],
    [
      'a name with quotes',
      line('"/chat/completions"', '"odd"'),
      line('"/chat/completions"', '"a \\"b\\""'),
      line('"/chat/completions"', '"a \\"b\\""'),
    ],
    ['a number as model', line('"/chat/completions"', '7'), line('"/chat/completions"', '7'), line('"/chat/completions"', '7')],
  ])('converts a line with %s for both versions of the API', (_name, sent, datedLine, v1Line) => {
    expect([dated(sent, 0), v1(sent, 1)]).toEqual([datedLine, v1Line]);
  });

  it('converts a line with more members than a request may have', () => {
    const more = `"input":[${Array.from({ length: 100_001 }, () => '{"a":1}').join()}]`;
    expect(dated(line('"/v1/embeddings"', `"fast",${more}`), 1)).toBe(line('"/embeddings"', `"dep-1",${more}`));
  });

  it('converts a line with the model before the URL', () => {
    const sent = '{"body":{"model":"fast"},"url":"/v1/embeddings","custom_id":"1"}';
    expect(dated(sent, 5)).toBe('{"body":{"model":"dep-1"},"url":"/embeddings","custom_id":"1"}');
  });

  it.each([
    ['that is already correct', line('"/chat/completions"', '"dep-1"')],
    ['without custom_id', '{"url":"/v1/chat/completions","body":{"model":"fast"}}'],
    ['that is truncated', '{"custom_id":"1","url":"/v1/x","body":{"model":"fast"'],
    ['without a body', '{"custom_id":"1","url":"/v1/x"}'],
    ['whose body is not an object', '{"custom_id":"1","url":"/x","body":"fast"}'],
    ['that is empty', ''],
  ])('does not change a line %s', (_name, sent) => {
    expect([dated(sent, 0), v1(sent, 0)]).toEqual([sent, sent]);
  });

  it('removes the byte order mark from the first line only', () => {
    const marked = `\ufeff${line('"/chat/completions"', '"dep-1"')}`;
    expect(dated(marked, 0)).toBe(marked.slice(1));
    expect(dated(marked, 1)).toBe(marked);
  });
});
