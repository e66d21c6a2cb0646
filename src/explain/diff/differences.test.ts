import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ChangeFacts, differences } from './differences.ts';
import { structuralDiff } from '../../core/diff/structural-diff.ts';

const noFacts: ChangeFacts = {
  overrides: new Map(),
  override: undefined,
  dropped: [],
  prompt: undefined,
  plugins: [],
  format: undefined,
  type: 'openai',
  hide: (text) => text,
};
const location = { file: 'gateway.yaml', line: 7 };

const lines = (before: unknown, after: unknown, facts: Partial<ChangeFacts> = {}, intermediate?: unknown): string[] =>
  differences(before, after, { ...noFacts, ...facts }, intermediate).map(
    ({ path, kind, from, before: previous, after: current, cause, at: origin }) =>
      `${kind} ${path}${from === undefined ? '' : ` < ${from}`} ${previous ?? ''}>${current ?? ''} ${cause}${origin === null ? '' : ` :${origin.line}`}`,
  );

describe('differences', () => {
  it.each<[string, unknown, unknown, Partial<ChangeFacts>, string[]]>([
    ['nothing for equal values', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, {}, []],
    ['nothing for another order of members', { a: 1, b: 2 }, { b: 2, a: 1 }, {}, []],
    [
      'an override',
      { temperature: 0.9 },
      { temperature: 0.2 },
      { overrides: new Map([['temperature', location]]) },
      ['changed temperature 0.9>0.2 override_params :7'],
    ],
    [
      'an override inside an object',
      { response_format: { type: 'text' } },
      { response_format: { type: 'json' } },
      { overrides: new Map([['response_format.type', location]]) },
      ['changed response_format.type "text">"json" override_params :7'],
    ],
    [
      'an override of a limit under its other name',
      { max_completion_tokens: 9 },
      { max_tokens: 5 },
      { overrides: new Map([['max_tokens', location]]), override: { max_tokens: 5 } },
      ['removed max_completion_tokens 9> override_params :7', 'added max_tokens >5 override_params :7'],
    ],
    [
      'an override before a conversion',
      { max_completion_tokens: 9 },
      { max_tokens: 5 },
      { overrides: new Map([['max_tokens', location]]), override: { max_tokens: 5 }, format: 'of anthropic' },
      ['removed max_completion_tokens 9> override_params :7', 'added max_tokens >5 override_params :7'],
    ],
    [
      'a limit under the name of the route',
      { max_output_tokens: 9 },
      { max_output_tokens: 5 },
      { overrides: new Map([['max_tokens', location]]) },
      ['changed max_output_tokens 9>5 override_params :7'],
    ],
    [
      'labels',
      {},
      { labels: { team: 'web' } },
      { overrides: new Map([['labels.team', location]]) },
      ['added labels >{"team":"web"} labels :7'],
    ],
    ['the slug', { model: '@main/m' }, { model: 'm' }, {}, ['changed model "@main/m">"m" model name']],
    [
      'dropped parameters',
      { user: 'u', n: 1 },
      { n: 1 },
      { dropped: [{ param: 'user', reason: 'not known to this provider' }] },
      ['removed user "u"> not known to this provider'],
    ],
    [
      'a parameter that was set and then dropped',
      {},
      {},
      { overrides: new Map([['labels.team', location]]), dropped: [{ param: 'labels', reason: 'not known' }] },
      ['removed labels > not known :7'],
    ],
    [
      'another name',
      { max_tokens: 50 },
      { max_completion_tokens: 50 },
      {},
      ['moved max_completion_tokens < max_tokens >50 provider openai'],
    ],
    [
      'an inserted item',
      { m: [{ role: 'user', c: 'a' }] },
      {
        m: [
          { role: 'system', c: 's' },
          { role: 'user', c: 'a' },
        ],
      },
      {},
      ['added m[0] >{"role":"system","c":"s"} provider openai'],
    ],
    ['a changed item between others', { m: ['a', { c: 1 }, 'b'] }, { m: ['a', { c: 2 }, 'b'] }, {}, ['changed m[1].c 1>2 provider openai']],
    ['items that were swapped', { m: ['a', 'b', 'c'] }, { m: ['c', 'a', 'b'] }, {}, ['moved m[0] < m[2] >"c" provider openai']],
    ['another type of value', { a: 1 }, { a: [1] }, {}, ['changed a 1>[1] provider openai']],
    [
      'a conversion',
      { model: 'm', messages: [{ role: 'user', content: 'hello' }], max_tokens: 50, temperature: 0.5 },
      { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], config: { maxOutputTokens: 50, temperature: 0.5 } },
      { format: 'of other' },
      [
        'moved contents[0].role < messages[0].role >"user" format of other',
        'moved contents[0].parts[0].text < messages[0].content >"hello" format of other',
        'moved config.maxOutputTokens < max_tokens >50 format of other',
        'moved config.temperature < temperature >0.5 format of other',
        'removed model "m"> model name',
      ],
    ],
  ])('reports %s', (_name, before, after, facts, expected) => {
    expect(lines(before, after, facts)).toEqual(expected);
  });

  it('name the stored prompt, and separately the changes of the provider', () => {
    const prompt = 'welcome@2';
    expect(lines({ variables: {} }, { messages: [], model: 'm' }, { prompt }, { messages: [], model: '@main/m' })).toEqual([
      'removed variables {}> stored prompt welcome@2',
      'added messages >[] stored prompt welcome@2',
      'added model >"@main/m" stored prompt welcome@2',
      'changed model "@main/m">"m" model name',
    ]);
  });

  it('are limited in number and depth', () => {
    const manyValues = (start: number): unknown => ({ list: Array.from({ length: 5000 }, (_, i) => ({ value: i + start })) });
    expect(differences(manyValues(0), manyValues(100_000), noFacts).length).toBeLessThanOrEqual(400);
    expect(differences(manyValues(0), manyValues(100_000), { ...noFacts, format: 'x' }).length).toBeLessThanOrEqual(400);
    let [first, second]: [unknown, unknown] = [1, 2];
    for (let i = 0; i < 100; i += 1) [first, second] = [{ a: first }, { a: second }];
    expect(differences(first, second, noFacts)).toHaveLength(1);
    const deeplyNested = (text: string): unknown =>
      Array.from({ length: 60 }).reduce<unknown>((value, _, index) => [value, index], text.repeat(1_000_000));
    // Beyond the limit, the list is compared as a whole: its path is shorter than 60 steps.
    const [change] = structuralDiff(deeplyNested('a'), deeplyNested('b'));
    expect(change).toMatchObject({ kind: 'changed' });
    expect(change?.path.length).toBeLessThan(20);
    expect(differences('x'.repeat(1000), 'y', noFacts)[0]?.before?.length).toBeLessThanOrEqual(400);
    const hide = (text: string): string => text.replaceAll('a secret', '***');
    const redacted = differences(`${'x'.repeat(394)}a secret of the file`, 'y', { ...noFacts, hide });
    expect(redacted[0]?.before).toMatch(/x\*\*\* …$/);
  });

  it('of lists without common items are found quickly', () => {
    const list = (from: string, type: string): unknown => ({
      list: Array.from({ length: 20_000 }, (_, i) => ({ type: `${type}${i}`, text: from })),
    });
    expect(differences(list('a', 'x'), list('a', 'y'), noFacts)).toHaveLength(400);
    expect(differences(list('same', 'x'), list('same', 'y'), { ...noFacts, format: 'x' }).length).toBeLessThanOrEqual(400);
    const numbers = Array.from({ length: 20_000 }, (_, i) => i);
    expect(structuralDiff(numbers, numbers.toReversed())).toHaveLength(400);
  });

  it('of random values are empty for equal values, and otherwise turn one into the other', () => {
    for (let seed = 1; seed < 300; seed += 1) {
      const random = generator(seed);
      const [first, second] = [randomValue(random, 4), randomValue(random, 4)];
      expect(structuralDiff(first, structuredClone(first))).toEqual([]);
      expect(structuralDiff(first, second).length > 0).toBe(!isDeepStrictEqual(first, second));
    }
  });
});

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth === 0 ? 3 : 5));
  if (kind === 0) return Math.floor(random() * 3);
  if (kind === 1) return 'ab'.slice(0, 1 + Math.floor(random() * 2));
  if (kind === 2) return random() < 0.5;
  const members = Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, depth - 1));
  return kind === 3 ? members : Object.fromEntries(members.map((member, location) => ['abcd'[location], member]));
}
