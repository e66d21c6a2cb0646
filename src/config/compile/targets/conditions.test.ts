import { describe, expect, it } from 'vitest';
import type { QueryFacts } from '../../../core/snapshot.ts';
import { compileQuery } from './conditions.ts';

const body: Record<string, unknown> = {
  model: 'gpt-4o',
  max_tokens: 4096,
  temperature: 0.5,
  stream: true,
  user: null,
  size: '1024x768',
  tools: [],
  depth: '12.5abc',
};
const facts: QueryFacts = {
  metadata: { plan: 'paid', seats: '10', empty: '' },
  params: (name) => (Object.hasOwn(body, name) ? body[name] : undefined),
  pathname: '/v1/chat/completions',
};

const table: readonly (readonly [query: unknown, expected: boolean])[] = [
  // Bare values and $eq compare strictly.
  [{ 'metadata.plan': 'paid' }, true],
  [{ 'metadata.plan': 'free' }, false],
  [{ 'metadata.seats': 10 }, false],
  [{ 'metadata.seats': { $eq: '10' } }, true],
  [{ 'params.max_tokens': { $eq: '4096' } }, false],
  [{ 'params.stream': true }, true],
  [{ 'params.user': null }, true],
  [{ 'metadata.empty': '' }, true],
  // $ne is true for a missing key.
  [{ 'metadata.plan': { $ne: 'free' } }, true],
  [{ 'metadata.plan': { $ne: 'paid' } }, false],
  [{ 'metadata.none': { $ne: 'x' } }, true],
  // $in and $nin.
  [{ 'metadata.plan': { $in: ['free', 'paid'] } }, true],
  [{ 'metadata.plan': { $in: ['free'] } }, false],
  [{ 'params.max_tokens': { $in: [4096] } }, true],
  [{ 'params.max_tokens': { $in: ['4096'] } }, false],
  [{ 'metadata.none': { $in: ['x'] } }, false],
  [{ 'metadata.plan': { $nin: ['free'] } }, true],
  [{ 'metadata.plan': { $nin: ['paid'] } }, false],
  [{ 'metadata.none': { $nin: ['x'] } }, true],
  // Comparisons parse both sides as floats.
  [{ 'params.max_tokens': { $gt: 4000 } }, true],
  [{ 'params.max_tokens': { $gt: 4096 } }, false],
  [{ 'params.max_tokens': { $gte: 4096 } }, true],
  [{ 'params.max_tokens': { $gte: '4096.5' } }, false],
  [{ 'params.temperature': { $lt: 0.6 } }, true],
  [{ 'params.temperature': { $lt: 0.5 } }, false],
  [{ 'params.temperature': { $lte: '0.5' } }, true],
  [{ 'params.temperature': { $lte: 0.4 } }, false],
  [{ 'metadata.seats': { $gt: 9 } }, true],
  [{ 'params.depth': { $gt: '12' } }, true],
  [{ 'params.model': { $gt: 1 } }, false],
  [{ 'params.model': { $lt: 1 } }, false],
  [{ 'params.stream': { $gte: 0 } }, false],
  [{ 'metadata.none': { $gt: 0 } }, false],
  [{ 'metadata.none': { $lte: 0 } }, false],
  // $regex is unanchored and does not end the evaluation of its object.
  [{ 'params.model': { $regex: 'gpt-4' } }, true],
  [{ 'params.model': { $regex: '^4' } }, false],
  [{ 'params.size': { $regex: '^\\d+x\\d+$' } }, true],
  [{ 'params.model': { $regex: 'gpt', $ne: 'gpt-4o' } }, false],
  [{ 'metadata.none': { $regex: '.*' } }, false],
  [{ 'params.user': { $regex: 'null' } }, false],
  [{ 'metadata.plan': { $regex: '^(a+)+$' } }, false],
  // Several operators and keys are combined with AND.
  [{ 'params.max_tokens': { $gt: 1, $lt: 5000 } }, true],
  [{ 'params.max_tokens': { $gt: 1, $lt: 4000 } }, false],
  [{ 'metadata.plan': 'paid', 'params.stream': true }, true],
  [{ 'metadata.plan': 'paid', 'params.stream': false }, false],
  // $or and $and count together with other keys.
  [{ $or: [{ 'metadata.plan': 'free' }, { 'params.stream': true }] }, true],
  [{ $or: [{ 'metadata.plan': 'free' }, { 'params.stream': false }] }, false],
  [{ $or: [{ 'metadata.plan': 'paid' }], 'params.stream': false }, false],
  [{ 'params.stream': true, $or: [{ 'metadata.plan': 'free' }] }, false],
  [{ $and: [{ 'metadata.plan': 'paid' }, { 'params.stream': true }] }, true],
  [{ $and: [{ 'metadata.plan': 'paid' }, { 'params.stream': false }] }, false],
  [{ $and: [{ $or: [{ 'metadata.plan': 'free' }, { 'metadata.seats': { $gte: 10 } }] }, { 'url.pathname': { $regex: 'chat' } }] }, true],
  // A value that is not a scalar counts as missing.
  [{ 'params.tools': { $ne: 'x' } }, true],
  [{ 'params.tools': { $regex: '' } }, false],
  [{ 'url.pathname': '/v1/chat/completions' }, true],
  [{ 'url.pathname': { $in: ['/v1/embeddings'] } }, false],
  [{ 'metadata.__proto__': { $ne: null } }, true],
  [{ 'metadata.toString': { $regex: '.' } }, false],
  [{}, true],
];

describe('compileQuery()', () => {
  it.each(table)('%j returns %s', (query, expected) => {
    expect(compileQuery(query)(facts)).toBe(expected);
  });

  const rejectedQueries: readonly (readonly [query: unknown, message: string])[] = [
    ['text', 'must be an object'],
    [[], 'must be an object'],
    [{ plan: 'paid' }, '"plan"'],
    [{ 'metadata.': 'x' }, '"metadata."'],
    [{ 'metadata.a.b': 'x' }, '"metadata.a.b"'],
    [{ 'headers.host': 'x' }, '"headers.host"'],
    [{ 'url.host': 'x' }, '"url.host"'],
    [{ 'metadata.a': {} }, 'names no operator'],
    [{ 'metadata.a': ['x'] }, 'needs a value'],
    [{ 'metadata.a': { $where: '1' } }, '"$where"'],
    [{ 'metadata.a': { constructor: '1' } }, '"constructor"'],
    [{ 'metadata.a': { $in: 'x' } }, 'list'],
    [{ 'metadata.a': { $nin: [{}] } }, '"$nin"'],
    [{ 'metadata.a': { $eq: [] } }, '"$eq"'],
    [{ 'metadata.a': { $gt: 'many' } }, 'number'],
    [{ 'metadata.a': { $regex: '(' } }, 'pattern'],
    [{ 'metadata.a': { $regex: '(?=x)' } }, 'pattern'],
    [{ 'metadata.a': { $regex: 5 } }, 'pattern'],
    [{ $or: {} }, '"$or"'],
    [{ $and: [] }, '"$and"'],
    [{ $or: ['x'] }, 'must be an object'],
  ];
  it.each(rejectedQueries)('%j is rejected with a message that contains %s', (query, message) => {
    expect(() => compileQuery(query)).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(message) }),
    );
  });

  it('matches a pattern with nested quantifiers in linear time', () => {
    const condition = compileQuery({ 'metadata.a': { $regex: '^(a+)+$' } });
    expect(condition({ ...facts, metadata: { a: `${'a'.repeat(5000)}!` } })).toBe(false);
  });

  it('does not match a text longer than 8192 characters', () => {
    const condition = compileQuery({ 'metadata.a': { $regex: 'a$' } });
    const factsWith = (length: number) => ({ metadata: { a: 'a'.repeat(length) }, params: () => undefined, pathname: '/' });
    expect([condition(factsWith(8192)), condition(factsWith(8193))]).toEqual([true, false]);
  });

  it('rejects a pattern of more than 10,000 steps', () => {
    const query = (pattern: string) => () => compileQuery({ 'metadata.a': { $regex: pattern } });
    expect(query('a{999}'.repeat(9))).not.toThrow();
    expect(query('a{999}'.repeat(11))).toThrow(/cannot be used: it is too large: about 1\d{4} steps, and the limit is 10000/);
  });
});
