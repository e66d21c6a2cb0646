import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonBody } from '../../../core/json/body.ts';
import { promptPatch, type PromptVersion, variablesFor } from '../../../core/model/prompt.ts';
import type { PromptEntry, PromptVersionEntry } from '../../schema/index.ts';
import { compilePrompts } from './index.ts';
import { runSteps } from '../../../core/async/steps.ts';

type Values = Readonly<Record<string, unknown>>;
type Messages = PromptVersionEntry['messages'];

function compile(entries: Readonly<Record<string, PromptEntry>>, name = 'p'): PromptVersion {
  const prompt = runSteps(compilePrompts(entries)).get(name);
  if (prompt === undefined) throw new Error(`no prompt ${name}`);
  return prompt.published;
}

/** The text that the template renders. */
function text(
  template: string,
  values: Values = {},
  members: Partial<PromptVersionEntry> = {},
  otherPrompts: Readonly<Record<string, PromptEntry>> = {},
): unknown {
  const messages: Messages = [{ role: 'user', content: template }];
  return compile({ ...otherPrompts, p: { ...members, messages } }).messages(values, 10_000)[0]?.['content'];
}

describe('prompt template', () => {
  it.each<[string, string, Values, string]>([
    ['plain text', 'plain', {}, 'plain'],
    ['a variable', 'a {{x}} b', { x: 'y' }, 'a y b'],
    ['blanks in a tag', '{{ x }}', { x: 'y' }, 'y'],
    ['three braces', '{{{x}}}{{&x}}', { x: '<&>' }, '<&><&>'],
    ['HTML characters without escaping', '{{x}}', { x: `<b>"'&` }, `<b>"'&`],
    ['a tag inside a value as plain text', '{{x}}', { x: '{{y}}', y: 'no' }, '{{y}}'],
    ['a number', '{{x}}', { x: 1e21 }, '1e+21'],
    ['zero', '{{x}}', { x: 0 }, '0'],
    ['false', '{{x}}', { x: false }, 'false'],
    ['null as an empty string', '[{{x}}]', { x: null }, '[]'],
    ['a missing variable as an empty string', '[{{x}}]', {}, '[]'],
    ['an object as JSON', '{{x}}', { x: { a: [1, '"'] } }, '{"a":[1,"\\""]}'],
    ['a list as JSON', 'x={{x}}', { x: [] }, 'x=[]'],
    ['dotted names', '{{a.b.c}}', { a: { b: { c: 1 } } }, '1'],
    ['dotted names that do not exist', '[{{a.b.c}}]', { a: { b: 'text' } }, '[]'],
    ['an index of a list', '{{a.1}}', { a: ['x', 'y'] }, 'y'],
    ['the length of a list', '{{a.length}}', { a: [1, 2] }, '2'],
    ['a section over a list', '{{#a}}<{{b}}>{{/a}}', { a: [{ b: 1 }, { b: 2 }] }, '<1><2>'],
    ['the current item of a section', '{{#a}}<{{.}}>{{/a}}', { a: [1, null, 'x', { y: 1 }] }, '<1><><x><{"y":1}>'],
    ['lists in lists', '{{#a}}{{#.}}{{.}}{{/.}};{{/a}}', { a: [[1, 2], [3]] }, '12;3;'],
    ['outer names inside a section', '{{#a}}{{c}}{{/a}}', { a: [{}], c: 'out' }, 'out'],
    ['names shadowed by an item', '{{#a}}{{c}}{{/a}}', { a: [{ c: 'in' }], c: 'out' }, 'in'],
    ['a section over an object', '{{#a}}{{b}}{{/a}}', { a: { b: 'x' } }, 'x'],
    ['a section over a string', '{{#a}}{{.}}!{{/a}}', { a: 'x' }, 'x!'],
    ['a section over true', '{{#a}}{{b}}{{/a}}', { a: true, b: 'x' }, 'x'],
    [
      'no section for falsy values',
      '{{#a}}1{{/a}}{{#b}}2{{/b}}{{#c}}3{{/c}}{{#d}}4{{/d}}{{#e}}5{{/e}}',
      { a: false, b: '', c: 0, d: null, e: [] },
      '',
    ],
    ['inverted sections', '{{^a}}1{{/a}}{{^b}}2{{/b}}{{^c}}3{{/c}}', { a: [], b: 'x' }, '13'],
    ['standalone section tags', 'a\n{{#x}}\nb\n{{/x}}\nc', { x: true }, 'a\nb\nc'],
    ['comments', 'a{{! note }}b', {}, 'ab'],
    ['custom delimiters', '{{=<% %>=}}{{x}}<%x%>', { x: 1 }, '{{x}}1'],
    [
      'no inherited members',
      '{{constructor}}{{toString}}{{a.constructor}}{{#a}}{{hasOwnProperty}}{{/a}}{{list.map}}{{__proto__}}',
      { a: {}, list: [] },
      '',
    ],
    ['braces that are not tags', 'JSON: {"a": {"b": 1}}', {}, 'JSON: {"a": {"b": 1}}'],
  ])('renders %s', (_, template, values, expected) => {
    expect(text(template, values)).toBe(expected);
  });

  it.each<[string, string, Partial<PromptVersionEntry>, Record<string, PromptEntry>, string]>([
    ['a partial of the prompt', '{{>greet}}!', { partials: { greet: 'Hi {{x}}' } }, {}, 'Hi X!'],
    ['a partial inside a partial', '{{>a}}', { partials: { a: '[{{>b}}]', b: '{{x}}' } }, {}, '[X]'],
    ['an indented standalone partial', 'a\n  {{>b}}\nc', { partials: { b: 'one\n\ntwo\n' } }, {}, 'a\n  one\n\n  two\nc'],
    ['a partial without indentation beside other text', '[ {{>b}}\n {{>b}} ]', { partials: { b: '1\n2' } }, {}, '[ 1\n2\n 1\n2 ]'],
    ['another prompt', '{{>rules}}', {}, { rules: { messages: [{ role: 'system', content: 'Be {{x}}' }] } }, 'Be X'],
    [
      'all texts of another prompt',
      '{{>rules}}',
      {},
      {
        rules: {
          messages: [
            { role: 'system', content: 'A' },
            { role: 'user', content: [{ type: 'text', text: 'B' }, { type: 'image_url' }] },
          ],
        },
      },
      'A\n\nB',
    ],
    [
      'a version of another prompt',
      '{{>rules@1}}{{>rules}}{{>rules@old}}',
      {},
      {
        rules: {
          labels: { old: 1 },
          versions: { 1: { messages: [{ role: 'user', content: '1' }] }, 2: { messages: [{ role: 'user', content: '2' }] } },
        },
      },
      '121',
    ],
    [
      'another prompt with its own partials',
      '{{>a}}{{>rules}}',
      { partials: { a: 'mine ' } },
      { rules: { partials: { a: 'theirs' }, messages: [{ role: 'user', content: '{{>a}}' }] } },
      'mine theirs',
    ],
    [
      'a partial of the prompt before another prompt of the same name',
      '{{>rules}}',
      { partials: { rules: 'own' } },
      { rules: { messages: [{ role: 'user', content: 'other' }] } },
      'own',
    ],
  ])('inserts %s', (_, template, members, otherPrompts, expected) => {
    expect(text(template, { x: 'X' }, members, otherPrompts)).toBe(expected);
  });

  it('inherits the variables of inserted prompts, overridden by its own', () => {
    const version = compile({
      rules: { variables: { x: { required: true }, y: { default: 2 } }, messages: [{ role: 'user', content: '{{x}}{{y}}{{z}}' }] },
      p: {
        variables: { x: { default: 1 } },
        messages: [{ role: 'user', content: '{{>rules}}{{#list}}{{item}}{{/list}}{{^list}}{{none}}{{/list}}' }],
      },
    });
    expect([...version.variables].map(([name, variable]) => [name, variable.required, variable.default])).toEqual([
      ['x', false, 1],
      ['y', false, 2],
    ]);
    expect([...version.prints].toSorted()).toEqual(['none', 'x', 'y', 'z']);
    expect([...version.reads].toSorted()).toEqual(['item', 'list', 'none', 'x', 'y', 'z']);
  });

  it('rejects values with body_too_large if the output exceeds the limit', () => {
    const list = Array.from({ length: 300 }, () => ({}));
    const template = '{{#list}}{{#list}}{{#list}}{{/list}}{{/list}}{{/list}}';
    expect(() => text(template, { list })).toThrow(
      expect.objectContaining({
        code: 'body_too_large',
        param: 'variables',
        message: expect.stringContaining('repeat more than') as string,
      }),
    );
    expect(() => text('{{x}}{{x}}', { x: 'x'.repeat(6000) })).toThrow(expect.objectContaining({ code: 'body_too_large' }));
  });

  it('rejects a value that is nested too deeply', () => {
    const deeplyNested = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    expect(() => text('{{x}}', { x: deeplyNested })).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });

  it('does not render types and JSON texts of tool calls', () => {
    const call = { id: '{{x}}', type: '{{x}}', function: { name: 'f', arguments: '{"a":"{{x}}"}' } };
    const version = compile({ p: { messages: [{ role: 'assistant', content: null, tool_calls: [call] } as Messages[number]] } });
    expect(version.messages({ x: 'X' }, 1000)).toEqual([{ role: 'assistant', content: null, tool_calls: [{ ...call, id: 'X' }] }]);
  });
});

describe('prompt version', () => {
  const entry: PromptEntry = {
    published: 1,
    labels: { canary: 3 },
    versions: {
      1: {
        messages: [{ role: 'user', content: 'one' }],
        parameters: { model: 'x', messages: [], stream: true, variables: {}, n: 2 },
        config: 'c',
        metadata: { a: 'b' },
      },
      3: { messages: [{ role: 'user', content: 'three' }] },
    },
  };

  it('is compiled with its labels', () => {
    const prompt = runSteps(compilePrompts({ p: entry })).get('p');
    expect([prompt?.published.number, prompt?.labels.get('canary')?.number, [...(prompt?.versions.keys() ?? [])]]).toEqual([1, 3, [1, 3]]);
    expect(prompt?.published).toMatchObject({ parameters: { n: 2 }, config: 'c', metadata: { a: 'b' }, model: undefined });
  });

  it('is the highest one if none is published', () => {
    const { published: _, ...rest } = entry;
    expect(compile({ p: rest }).number).toBe(3);
  });

  it('is frozen', () => {
    const version = compile({ p: { ...entry } });
    expect([Object.isFrozen(version), Object.isFrozen(version.parameters)]).toEqual([true, true]);
  });
});

/** The structure of a value without the content of its strings. */
function typeShape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typeShape);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, typeShape(member)]));
}

describe('promptPatch() for any variables', () => {
  const version = compile({
    p: {
      model: 'm',
      parameters: { temperature: 1, tools: [{ type: 'function', function: { name: 'f' } }] },
      messages: [
        { role: 'system', content: '{{a}} {{{a}}} {{#list}}{{name}}{{.}}{{/list}} {{^list}}none{{/list}} {{a.b.c}}' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '{{a}}' },
            { type: 'image_url', image_url: { url: '{{b}}', detail: 'low' } },
          ],
        },
        { role: 'assistant', content: '{{>part}}', name: '{{b}}' } as Messages[number],
      ],
      partials: { part: '{"json": "{{a}}"}\n{{#b}}{{a}}{{/b}}' },
    },
  });
  const unchanged = typeShape(Object.fromEntries(promptPatch(version, version.messages({}, 1000), { stream: false, has: () => false })));
  const names = fc.constantFrom('a', 'b', 'list', 'name', 'c', '__proto__', 'constructor', 'toString');

  it('returns a JSON body of the same structure', () => {
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant('"}],"role":"system"')), {
          noNullPrototype: true,
        }),
        (sentValues) => {
          const values = variablesFor(version, sentValues, () => undefined);
          const messages = version.messages(values, 1_000_000);
          const received = JsonBody.of({ variables: sentValues });
          const body = received.edit(promptPatch(version, messages, { stream: false, has: (field) => received.has(field) }));
          const sent = JSON.parse(body.bytes().toString('utf8')) as Record<string, unknown>;
          expect(typeShape(sent)).toEqual(unchanged);
          expect((sent['messages'] as { role: string }[]).map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
          if (typeof sentValues['a'] === 'string' && sentValues['a'].isWellFormed()) {
            expect((sent['messages'] as { content: { text: string }[] }[])[1]?.content[0]?.text).toBe(sentValues['a']);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

it('variablesFor() limits the warnings about unused variables', () => {
  const version = compile({ p: { messages: [{ role: 'user', content: 'hi' }] } });
  const manyValues = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`v${n}`, n]));
  const warnings: string[] = [];
  variablesFor(version, manyValues, (text) => void warnings.push(text));
  expect(warnings.length).toBe(9);
  expect(warnings.at(-1)).toBe('49992 further variables are not used by prompt "p@1"');
});
