import { describe, expect, it } from 'vitest';
import { masked, rules } from '../../../test/support/redaction.ts';
import { BodyRedactor } from './index.ts';

describe('the preview of the last user message', () => {
  it.each<[string, unknown, string | null]>([
    [
      'chat',
      {
        messages: [
          { role: 'user', content: 'one' },
          { role: 'user', content: 'two\n  lines' },
          { role: 'assistant', content: 'three' },
        ],
      },
      'two lines',
    ],
    [
      'parts',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'look' },
              { type: 'image_url', image_url: { url: 'https://x' } },
            ],
          },
        ],
      },
      'look',
    ],
    ['only an image', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x' } }] }] }, '[media]'],
    [
      'messages',
      {
        system: 'be nice',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'x' },
              { type: 'text', text: 'go on' },
            ],
          },
        ],
      },
      'go on',
    ],
    ['responses, text', { input: 'hello' }, 'hello'],
    [
      'responses, items',
      {
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
          { type: 'function_call', name: 'x' },
        ],
      },
      'hi',
    ],
    ['completions', { prompt: 'Once upon' }, 'Once upon'],
    ['embeddings', { input: ['first', 'second'] }, 'second'],
    [
      'with an e-mail address',
      { messages: [{ role: 'user', content: 'I am jane@example.com "quoted" \\ é' }] },
      'I am [email] "quoted" \\ é',
    ],
    ['longer than the limit', { prompt: 'x'.repeat(500) }, `${'x'.repeat(199)}…`],
    ['longer than the limit with many blanks', { prompt: `a${' \n'.repeat(100)}${'x '.repeat(200)}` }, `a ${'x '.repeat(98)}x…`],
    ['several kinds of spaces', { prompt: 'one two  three\u00a0four ' }, 'one two three four'],
    ['control characters', { prompt: 'a\u001b[31mb\u202ec' }, 'a [31mb c'],
    ['no user message', { messages: [{ role: 'system', content: 'x' }] }, null],
    ['a body without messages', { model: 'x' }, null],
    ['invalid types', { messages: 'x', input: 5 }, null],
  ])('is found and formatted: %s', (_, body, expected) => {
    expect(masked(body).preview).toBe(expected);
  });

  /** Body of a client that escapes non-ASCII characters. */
  const escaped = (body: object): string =>
    JSON.stringify(body).replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const wholeCharacters = /^[字é🙂 "\\a]*$/u;

  it.each([
    ['字'.repeat(500), 199],
    ['🙂'.repeat(500), 199],
    [`${'  '.repeat(300)}${'字'.repeat(500)}`, 40],
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((n): [string, number] => [
      `${'a'.repeat(n)}${' \n'.repeat(330)}${'🙂字'.repeat(90)}`,
      40,
    ]),
    [`${'\\'.repeat(900)}`, 200],
  ])('is never cut within a character or an escape: %#', (content, minLength) => {
    for (const body of [{ prompt: content }, { messages: [{ role: 'user', content: [{ type: 'text', text: content }] }] }]) {
      for (const text of [escaped(body), JSON.stringify(body)]) {
        const preview = masked(text).preview ?? '';
        expect(preview.slice(0, -1)).toMatch(wholeCharacters);
        expect(preview.at(-1)).toBe('…');
        expect(preview.length).toBeGreaterThanOrEqual(minLength - 1);
        expect(preview.length).toBeLessThanOrEqual(200);
      }
    }
  });

  it.each<[string, object, string | null]>([
    ['input', { input: 'secret plan' }, '[field]'],
    ['input', { input: ['secret plan'] }, null],
    ['prompt', { prompt: 'secret plan' }, '[field]'],
    ['messages', { messages: [{ role: 'user', content: 'secret plan' }] }, null],
    ['messages[*].content', { messages: [{ role: 'user', content: 'secret plan' }] }, '[field]'],
    ['messages[*].content[*].text', { messages: [{ role: 'user', content: [{ type: 'text', text: 'secret plan' }] }] }, '[field]'],
  ])('is masked for the field %s, before and after the size limit', (field, body, expected) => {
    for (const extra of [{}, { padding: 'x'.repeat(40_000) }]) {
      const previewWithField = masked({ ...extra, ...body }, { fields: [field] }, 100).preview;
      const fullPreview = masked({ ...extra, ...body }, { fields: [field] }).preview;
      expect([previewWithField, fullPreview]).toEqual([expected, expected]);
    }
    const redactor = new BodyRedactor({ ...rules, fields: [field] }, []);
    expect(redactor.begin(100).preview(JSON.stringify(body))).toBe(expected);
  });

  it('is found and masked after the size limit', () => {
    const body = {
      messages: [
        { role: 'user', content: 'y '.repeat(30_000) },
        { role: 'user', content: 'jane@example.com' },
      ],
    };
    expect(masked(body, {}, 1000).preview).toBe('[email]');
  });
});
