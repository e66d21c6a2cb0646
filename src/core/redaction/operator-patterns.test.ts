import { describe, expect, it } from 'vitest';
import { compileFinder } from '../../config/validate/regex.ts';
import { masked, ownPattern, rules } from '../../../test/support/redaction.ts';
import { BodyRedactor } from './index.ts';

describe('patterns of the operator', () => {
  it.each([
    ['ACME-\\d{6}', 'order ACME-123456, ACME-12345', 'order [pattern], ACME-12345'],
    ['(?i)secret project', 'the Secret Project', 'the [pattern]'],
    ['a|b', 'xaxb', 'x[pattern]x[pattern]'],
    ['x?yz', 'yz xyz', '[pattern] [pattern]'],
    ['pattern', 'a pattern', 'a [pattern]'],
    ['ACME', 'nothing', 'nothing'],
  ])('mask the matches of %s in %j', (pattern, text, expected) => {
    const redactor = new BodyRedactor({ ...rules, own: [ownPattern(pattern)] }, []);
    expect(redactor.begin(1000).text(text)).toBe(expected);
    expect(redactor.begin(1000).text(expected)).toBe(expected);
  });

  it.each<[pattern: string, text: string, expected: string]>([
    ['Müller', 'bei Müller 😀', 'bei [pattern] 😀'],
    ['M.ller', '😀 bei Müller', '😀 bei [pattern]'],
    ['\\p{Lu}\\p{L}+', '- Öçü -', '- [pattern] -'],
    ['^.{3}$', 'äöü', '[pattern]'],
    ['^.{3}$', 'ä😀ü', '[pattern]'],
    ['b', 'ä😀b', 'ä😀[pattern]'],
    ['b', '\u00c3b\u00ff', '\u00c3[pattern]\u00ff'],
  ])('mask the matches of %s in %j, in a body with and without escapes', (pattern, text, expected) => {
    const json = JSON.stringify({ a: text });
    for (const body of [json, json.replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)])
      expect(JSON.parse(masked(body, { own: [ownPattern(pattern)] }).text)).toEqual({ a: expected });
    expect(new BodyRedactor({ ...rules, own: [ownPattern(pattern)] }, []).begin(1000).text(text)).toBe(expected);
  });

  it('match member names and numbers', () => {
    const body = { '4711-12': [12345, -12345.5, 1234], a: '12345' };
    expect(masked(body, { own: [ownPattern('\\d{5}'), ownPattern('^4711')] })).toMatchObject({
      text: '{"[pattern]-12":["[pattern]","[pattern]",1234],"a":"[pattern]"}',
      counts: { pattern: 4 },
    });
  });

  it('cost linear time for any number of matches', () => {
    for (const text of ['a ', '[a'])
      expect(masked({ text: text.repeat(60_000) }, { own: [ownPattern('a')] }).counts).toEqual({ pattern: 60_000 });
  });

  it.each(['(?=a)b', 'a*', '(', ''])('%j is rejected by compileFinder', (pattern) => {
    expect(compileFinder(pattern)).toHaveProperty('error');
  });
});
