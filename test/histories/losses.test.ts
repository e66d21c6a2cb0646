import { JsonBody } from '../../src/core/json/body.ts';
import type { CommonSettings, Provider } from '../../src/core/provider.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import vertexAi from '../../plugins/providers/vertex-ai/index.ts';
import { begin, callOf } from '../contract/call.ts';
import type { Json } from './assembled.ts';

/**
 * Each member of a request must be sent with its value or reported as dropped. The values are words
 * that occur nowhere else, so that a member that is lost silently is found.
 */
let textCount = 0;
const uniqueText = (name: string): string => {
  textCount += 1;
  return `${name}-word-${textCount}-`;
};
const unknown = () => ({ zz_unknown: uniqueText('unknown') });
const maybe = <T extends object>(record: T): fc.Arbitrary<Json> =>
  fc.subarray(Object.keys(record)).map((keys) => Object.fromEntries(keys.map((key) => [key, (record as Json)[key]])));
const part = (type: string, inner: Json, beside: Json = {}): Json => ({ type, [type]: inner, ...beside });

const textPart = fc.constant(0).chain(() => maybe(unknown()).map((more) => ({ type: 'text', text: uniqueText('text'), ...more })));
const imagePart = fc
  .constant(0)
  .chain(() =>
    maybe({ detail: 'high', ...unknown() }).map((more) => part('image_url', { url: 'data:image/png;base64,iVBORw0KGgo=', ...more })),
  );
const filePart = fc
  .constant(0)
  .chain(() => maybe(unknown()).map((more) => part('file', { file_data: 'data:application/pdf;base64,JVBERi0=', ...more }, more)));
const message = fc.oneof(
  fc
    .tuple(fc.array(fc.oneof(textPart, imagePart, filePart), { minLength: 1, maxLength: 3 }), maybe({ name: 'nameword', ...unknown() }))
    .map(([content, more]): Json => ({ role: 'user', content, ...more })),
  fc
    .tuple(fc.array(fc.oneof(textPart, imagePart), { minLength: 1, maxLength: 2 }), maybe({ name: 'nameword' }))
    .map(([content, more]): Json => ({ role: 'system', content, ...more })),
  fc
    .tuple(
      fc.array(fc.oneof(textPart, imagePart), { minLength: 1, maxLength: 2 }),
      maybe({ name: 'nameword', ...unknown(), reasoning_content: 'hmword' }),
    )
    .map(([content, more]): Json => ({ role: 'assistant', content, ...more })),
);
const tool = fc.constant(0).chain(() =>
  fc
    .tuple(
      maybe({ strict: true, ...unknown(), description: uniqueText('about') }),
      maybe(unknown()),
      maybe({ minimum: 7, uniqueItems: true, examples: ['exampleword'], format: 'formatword' }),
    )
    .map(
      ([fn, more, schema]): Json => ({
        type: 'function',
        function: {
          name: 'f',
          ...fn,
          parameters: { type: 'object', properties: { a: { type: 'array', items: { type: 'string' }, ...schema } } },
        },
        ...more,
      }),
    ),
);
const request = fc
  .tuple(
    fc.array(message, { minLength: 1, maxLength: 4 }),
    fc.array(tool, { maxLength: 2 }),
    maybe({
      temperature: 1.25,
      seed: 987_654,
      user: 'userword',
      verbosity: 'verbosityword',
      zz_top: 'topword',
      prediction: { content: 'predictedword' },
      service_tier: 'flex',
    }),
  )
  .map(
    ([messages, tools, more]): Json => ({
      messages: [...messages, { role: 'user', content: 'last' }],
      max_tokens: 54_321,
      ...(tools.length === 0 ? {} : { tools }),
      ...more,
    }),
  );

/** Members that describe how a value is written and have no value of their own. */
const structural: ReadonlySet<string> = new Set(['type', 'role']);

interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

function* leaves(value: unknown, path: string): Iterable<Leaf> {
  if (Array.isArray(value)) for (const one of value) yield* leaves(one, `${path}[]`);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) if (!structural.has(key)) yield* leaves(inner, path === '' ? key : `${path}.${key}`);
  } else yield { path, value };
}

/** Members of a request that are neither sent nor reported. */
function lost(history: Json, sent: string, dropped: readonly string[]): readonly string[] {
  return [...leaves(history, '')].filter(({ path, value }) => !isSent(value, sent) && !isNamed(path, dropped)).map(({ path }) => path);
}

const isSent = (value: unknown, sent: string): boolean => {
  const text = String(value);
  const data = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text;
  // `true` and `detail: high` have a meaning only in their place, so their equivalents are searched.
  if (value === true) return /"strict":true|"uniqueItems":true/.test(sent);
  return text === 'high' ? sent.includes('_HIGH') : sent.includes(data);
};

/** By its own path, by one above it, or by the type of its part; for schemas by the keyword. */
const isNamed = (path: string, dropped: readonly string[]): boolean =>
  dropped.some((name) => {
    if (path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)) return true;
    const key = path.slice(path.lastIndexOf('.') + 1).replaceAll('[]', '');
    const parentPath = name.slice(0, name.lastIndexOf('.'));
    const schema = path.includes('.parameters.') && parentPath.endsWith('.parameters');
    return (schema && name.endsWith(`.${key}`)) || (path.startsWith(parentPath) && name.endsWith(`.${key}`));
  });

const targets: readonly (readonly [name: string, provider: Provider, model: string, settings: CommonSettings & Json])[] = [
  ['anthropic', anthropic, 'claude-sonnet-4-5', {}],
  ['vertex-ai, Anthropic', vertexAi, 'anthropic.claude-sonnet-4-5', { region: 'us-central1', project: 'p1' }],
  ['gemini', gemini, 'gemini-2.5-flash', {}],
  ['vertex-ai, Gemini', vertexAi, 'gemini-3-flash', { region: 'us-central1', project: 'p1' }],
];

function send(
  body: Json,
  provider: Provider,
  model: string,
  settings: CommonSettings,
): { readonly sent: string; readonly dropped: readonly string[] } {
  const request = begin(provider, callOf({ model, settings }), JsonBody.of(body)).request;
  if (request.body.kind !== 'json') throw new Error('no body');
  return { sent: request.body.bytes().toString(), dropped: request.dropped.map(({ param }) => param) };
}

describe('every member of a request is sent or reported as dropped', () => {
  it.each(targets)('for %s', (_name, provider, model, settings) => {
    fc.assert(
      fc.property(request, (body) => {
        const { sent, dropped } = send(body, provider, model, settings);
        expect(lost(body, sent, dropped)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each(targets)('and the check detects unreported members for %s', (_name, provider, model, settings) => {
    const body = {
      messages: [{ role: 'user', name: 'nameword', content: [{ type: 'text', text: 'hi', zz_unknown: 'unknownword' }] }],
      zz_top: 'topword',
      max_tokens: 54_321,
    };
    const { sent, dropped } = send(body, provider, model, settings);
    expect(lost(body, sent, dropped)).toEqual([]);
    for (const name of dropped) {
      const rest = dropped.filter((one) => one !== name);
      expect(lost(body, sent, rest)).not.toEqual([]);
    }
    expect(dropped.length).toBe(3);
  });
});
