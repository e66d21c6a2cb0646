import { describe, expect, it } from 'vitest';
import { choosePrompt, promptPatch, type PromptVariable, type PromptVersion, type StoredPrompt, variablesFor } from './prompt.ts';

const variable = (overrides: Partial<PromptVariable> = {}): PromptVariable => ({
  type: undefined,
  required: false,
  default: undefined,
  ...overrides,
});

function version(number: number, overrides: Partial<PromptVersion> = {}): PromptVersion {
  return {
    id: 'welcome',
    number,
    model: undefined,
    parameters: {},
    config: undefined,
    metadata: {},
    variables: new Map(),
    prints: new Set(),
    reads: new Set(),
    messages: () => [],
    ...overrides,
  };
}

const [first, second, fifth] = [version(1), version(2), version(5)];
const prompts: ReadonlyMap<string, StoredPrompt> = new Map([
  [
    'welcome',
    {
      id: 'welcome',
      published: second,
      versions: new Map([
        [1, first],
        [5, fifth],
        [2, second],
      ]),
      labels: new Map([
        ['staging', fifth],
        ['old', first],
      ]),
    },
  ],
]);

describe('choosePrompt', () => {
  it.each([
    ['welcome', 2, null],
    ['welcome@1', 1, null],
    ['welcome@05', 5, null],
    ['welcome@latest', 5, 'latest'],
    ['welcome@old', 1, 'old'],
    ['welcome@staging', 5, 'staging'],
    ['welcome@production', 2, 'production'],
    ['welcome@development', 2, 'development'],
  ])('finds the prompt %s', (reference, number, label) => {
    const chosen = choosePrompt(prompts, reference);
    expect([chosen.version.number, chosen.label]).toEqual([number, label]);
  });

  it.each([
    ['welcom', 'No prompt is named "welcom". Did you mean "welcome"?'],
    ['', 'No prompt is named "".'],
    ['__proto__', 'No prompt is named "__proto__".'],
    ['welcome@3', 'Prompt "welcome" has no version 3.'],
    ['welcome@', 'Prompt "welcome" has no label "".'],
    ['welcome@stging', 'Prompt "welcome" has no label "stging". Did you mean "staging"?'],
    ['welcome@constructor', 'Prompt "welcome" has no label "constructor".'],
  ])('throws prompt_not_found for %j', (reference, message) => {
    expect(() => choosePrompt(prompts, reference)).toThrow(expect.objectContaining({ code: 'prompt_not_found', status: 404, message }));
  });
});

describe('variablesFor', () => {
  const promptVersion = version(1, {
    variables: new Map([
      ['product', variable({ type: 'string', required: true })],
      ['customer', variable({ required: true })],
      ['tone', variable({ default: 'friendly' })],
      ['count', variable({ type: 'number' })],
      ['tags', variable({ type: 'array', default: [] })],
      ['order', variable({ type: 'object' })],
      ['vip', variable({ type: 'boolean' })],
    ]),
    prints: new Set(['product', 'free']),
    reads: new Set(['product', 'free', 'list']),
  });
  const validValues = { product: 'Kite', customer: 0 };
  const readVariables = (variables: unknown): [Readonly<Record<string, unknown>>, string[]] => {
    const warnings: string[] = [];
    return [{ ...variablesFor(promptVersion, variables, (text) => warnings.push(text)) }, warnings];
  };

  it('fills in defaults', () => {
    expect(readVariables({ ...validValues, tone: null })[0]).toEqual({
      ...validValues,
      tone: 'friendly',
      count: undefined,
      tags: [],
      order: undefined,
      vip: undefined,
    });
  });

  it('warns of unused variables and of printed variables without a value', () => {
    expect(readVariables({ ...validValues, colour: 1, list: [] })[1]).toEqual([
      'variable "colour" is not used by prompt "welcome@1"',
      'variable "free" of prompt "welcome@1" was not given',
    ]);
    expect(readVariables({ ...validValues, free: 'x' })[1]).toEqual([]);
  });

  it.each([
    [
      undefined,
      'missing_required_parameter',
      'variables.product',
      'Prompt "welcome@1" needs the variables "product", "customer".',
      'Send them in "variables".',
    ],
    [
      { product: 'x', custommer: 1 },
      'missing_required_parameter',
      'variables.customer',
      'Prompt "welcome@1" needs the variable "customer".',
      'The request has "custommer": did you mean "customer"?',
    ],
    ['x', 'invalid_type', 'variables', '"variables" is a string, not an object.', 'Write {"variables": {"name": "value"}}.'],
    [
      { ...validValues, product: [] },
      'invalid_type',
      'variables.product',
      'Variable "product" of prompt "welcome@1" is an array, not a string.',
      'Send a string.',
    ],
    [
      { ...validValues, count: '5' },
      'invalid_type',
      'variables.count',
      'Variable "count" of prompt "welcome@1" is a string, not a number.',
      'Send a number.',
    ],
    [
      { ...validValues, tags: {} },
      'invalid_type',
      'variables.tags',
      'Variable "tags" of prompt "welcome@1" is an object, not an array.',
      'Send an array.',
    ],
    [
      { ...validValues, order: [] },
      'invalid_type',
      'variables.order',
      'Variable "order" of prompt "welcome@1" is an array, not an object.',
      'Send an object.',
    ],
    [
      { ...validValues, vip: 1 },
      'invalid_type',
      'variables.vip',
      'Variable "vip" of prompt "welcome@1" is a number, not a boolean.',
      'Send a boolean.',
    ],
  ])('rejects the variables %j', (variables, code, param, message, hint) => {
    expect(() => readVariables(variables)).toThrow(expect.objectContaining({ code, param, message, hint }));
  });

  it('does not read inherited properties as variables', () => {
    const oddVersion = version(1, { variables: new Map([['constructor', variable({ required: true })]]) });
    expect(() => variablesFor(oddVersion, {}, () => undefined)).toThrow(/needs the variable "constructor"/);
    const variables = JSON.parse('{"__proto__": {"polluted": true}}') as object;
    expect(Object.keys(variablesFor(version(1), variables, () => undefined))).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('promptPatch', () => {
  const savedVersion = version(1, { model: 'm', parameters: { temperature: 1, stream_options: {}, stop: null } });
  const patch = (stream: boolean, ...fields: string[]): object =>
    Object.fromEntries(promptPatch(savedVersion, [], { stream, has: (field) => fields.includes(field) }));

  it.each([
    [false, [], { model: 'm', messages: [], temperature: 1, stop: null }],
    [true, [], { model: 'm', messages: [], temperature: 1, stop: null, stream_options: {} }],
    [true, ['variables', 'model', 'temperature', 'stop', 'stream_options'], { variables: undefined, messages: [] }],
  ])('with stream %s and a request that has %j', (stream, fields, expected) => {
    expect(patch(stream, ...fields)).toStrictEqual(expected);
  });

  it.each([
    ['max_tokens', 'max_completion_tokens'],
    ['max_completion_tokens', 'max_tokens'],
  ])('omits a saved %s for a request that has %s', (name, otherField) => {
    const limited = version(1, { parameters: { [name]: 300 } });
    const patchFor = (field: string) => promptPatch(limited, [], { stream: false, has: (name) => name === field });
    expect([patchFor('seed').has(name), patchFor(name).has(name), patchFor(otherField).has(name)]).toEqual([true, false, false]);
  });
});
