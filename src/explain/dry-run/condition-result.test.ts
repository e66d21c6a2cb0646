import { describe, expect, it } from 'vitest';
import { compileQuery } from '../../config/compile/targets/conditions.ts';
import { describeCondition } from './condition-result.ts';

const body: Readonly<Record<string, unknown>> = { model: 'gpt-4o', max_tokens: 50, stream: true, tools: [{}] };
const facts = { metadata: { plan: 'free', team: 'web' }, params: (name: string) => body[name], pathname: '/v1/chat/completions' };

describe('describeCondition', () => {
  it.each<[object, boolean, string, string]>([
    [{ 'metadata.plan': { $eq: 'paid' } }, false, 'metadata.plan = "paid"', 'metadata.plan is "free", not "paid"'],
    [{ 'metadata.plan': 'free' }, true, 'metadata.plan = "free"', 'metadata.plan is "free"'],
    [{ 'metadata.none': { $ne: 'x' } }, true, 'metadata.none ≠ "x"', 'metadata.none is not set'],
    [
      { 'params.max_tokens': { $gt: 10, $lte: 40 } },
      false,
      'params.max_tokens > 10 and params.max_tokens ≤ 40',
      'params.max_tokens is 50, not ≤ 40',
    ],
    [{ 'params.tools': { $in: ['a'] } }, false, 'params.tools in ["a"]', 'params.tools is [{}], not in ["a"]'],
    [
      { $or: [{ 'metadata.plan': 'paid' }, { 'metadata.team': { $regex: '^w' } }] },
      true,
      '(metadata.plan = "paid" or metadata.team matches "^w")',
      'metadata.team is "web"',
    ],
    [
      { $and: [{ 'metadata.plan': 'paid' }, { 'metadata.team': 'web' }], 'url.pathname': '/v1/x' },
      false,
      '(metadata.plan = "paid" and metadata.team = "web") and url.pathname = "/v1/x"',
      'metadata.plan is "free", not "paid", url.pathname is "/v1/chat/completions", not "/v1/x"',
    ],
  ])('explains %j', (query, matched, text, reason) => {
    expect(describeCondition(query, facts, (text) => text)).toEqual({ text, matched, why: reason });
    expect(compileQuery(query)(facts)).toBe(matched);
  });

  it('truncates a long condition', () => {
    const query = { 'metadata.plan': { $in: Array.from({ length: 500 }, (_, i) => `plan ${i}`) } };
    const description = describeCondition(query, facts, (text) => text);
    expect(description.text.length).toBeLessThanOrEqual(200);
    expect(description.why.length).toBeLessThanOrEqual(300);
  });

  it('masks secrets before it truncates', () => {
    const secret = 'a-secret-of-the-file-'.repeat(4);
    const description = describeCondition({ 'metadata.plan': secret }, facts, (text) => text.replaceAll(secret, '***'));
    expect(description).toEqual({ text: 'metadata.plan = "***"', matched: false, why: 'metadata.plan is "free", not "***"' });
  });
});
