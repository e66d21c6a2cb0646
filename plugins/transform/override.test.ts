import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#core/endpoint.ts';
import type { PassThroughBody } from '#core/http/request.ts';
import { parseExact } from '#core/json/scan.ts';
import { chat, prepare } from '../../test/support/prepare.ts';
import { makeBinding, makeProvider } from '../../test/support/stage-context.ts';

describe('override_params', () => {
  const bigNumber = parseExact('90071992547409931');

  it.each([
    ['a scalar', '{"model":"m","temperature":1}', { temperature: 0.2 }, '{"model":"m","temperature":0.2}'],
    ['a new member', '{"model":"m"}', { labels: { team: 'a' } }, '{"model":"m","labels":{"team":"a"}}'],
    [
      'members of an object',
      '{"model":"m","labels":{"a":"1","b":"2"}}',
      { labels: { b: '3', c: '4' } },
      '{"model":"m","labels":{"a":"1","b":"3","c":"4"}}',
    ],
    ['an array as a whole', '{"model":"m","stop":["a","b"]}', { stop: ['c'] }, '{"model":"m","stop":["c"]}'],
    ['null as null', '{"model":"m","user":"u"}', { user: null }, '{"model":"m","user":null}'],
    ['an object over a scalar', '{"model":"m","metadata":"x"}', { metadata: { a: 1 } }, '{"model":"m","metadata":{"a":1}}'],
    [
      'an object next to numbers that keep their digits',
      '{"model":"m","extra":{"id":9007199254740993,"over":90071992547409931}}',
      { extra: { a: 1, over: { b: 2 } } },
      '{"model":"m","extra":{"id":9007199254740993,"over":{"b":2},"a":1}}',
    ],
    ['an object over a number that keeps its digits', '{"model":"m","x":9007199254740993}', { x: { a: 1 } }, '{"model":"m","x":{"a":1}}'],
    ['a long number over an object', '{"model":"m","x":{"a":1}}', { x: bigNumber }, '{"model":"m","x":90071992547409931}'],
    ['a long number in an object', '{"model":"m","x":{"a":{"b":1}}}', { x: { a: bigNumber } }, '{"model":"m","x":{"a":90071992547409931}}'],
    ['a limit over its other name', '{"model":"m","max_completion_tokens":9}', { max_tokens: 5 }, '{"model":"m","max_tokens":5}'],
    ['a limit by its new name', '{"model":"m","max_tokens":9}', { max_completion_tokens: 5 }, '{"model":"m","max_completion_tokens":5}'],
    [
      'both names of a limit',
      '{"model":"m","max_tokens":9}',
      { max_completion_tokens: 5, max_tokens: 4 },
      '{"model":"m","max_tokens":4,"max_completion_tokens":5}',
    ],
    [
      'a field over the other spelling of it',
      '{"safety_settings":[{"a":1}],"model":"m"}',
      { safetySettings: [] },
      '{"model":"m","safetySettings":[]}',
    ],
    [
      'members over other spellings of them',
      '{"model":"m","image_config":{"aspectRatio":"1:1","x":1}}',
      { image_config: { aspect_ratio: '3:4' } },
      '{"model":"m","image_config":{"x":1,"aspect_ratio":"3:4"}}',
    ],
    [
      'names that the caller chooses',
      '{"model":"m","labels":{"teamA":1}}',
      { labels: { team_a: 2 } },
      '{"model":"m","labels":{"teamA":1,"team_a":2}}',
    ],
    [
      'an effort over thinking',
      '{"model":"m","thinking":{"type":"enabled","budget_tokens":9000}}',
      { reasoning_effort: 'low' },
      '{"model":"m","reasoning_effort":"low"}',
    ],
    [
      'an effort beside thinking whose amount is open',
      '{"model":"m","thinking":{"type":"adaptive"}}',
      { reasoning_effort: 'low' },
      '{"model":"m","thinking":{"type":"adaptive"},"reasoning_effort":"low"}',
    ],
    [
      'no effort over any thinking',
      '{"model":"m","thinking":{"type":"adaptive"}}',
      { reasoning_effort: 'none' },
      '{"model":"m","reasoning_effort":"none"}',
    ],
    [
      'an effort over those in objects, whose other members stay',
      '{"model":"m","reasoning":{"effort":"high","exclude":true},"thinking_config":{"a":1},"output_config":{"effort":"max"}}',
      { reasoning_effort: 'low' },
      '{"model":"m","reasoning":{"exclude":true},"reasoning_effort":"low"}',
    ],
    [
      'an object over another place of one of its members',
      '{"model":"m","reasoning_effort":"high","output_config":{"format":{}}}',
      { output_config: { effort: 'low' } },
      '{"model":"m","output_config":{"format":{},"effort":"low"}}',
    ],
    [
      'thinking over an effort',
      '{"model":"m","reasoning_effort":"high"}',
      { thinking: { type: 'disabled' } },
      '{"model":"m","thinking":{"type":"disabled"}}',
    ],
    ['stop sequences over their other name', '{"model":"m","stop_sequences":["a"]}', { stop: ['b'] }, '{"model":"m","stop":["b"]}'],
    [
      'tools over functions',
      '{"model":"m","functions":[1],"function_call":"auto"}',
      { tools: [], tool_choice: 'none' },
      '{"model":"m","tools":[],"tool_choice":"none"}',
    ],
    [
      'a format over that of another API',
      '{"model":"m","output_config":{"format":{"type":"json_schema"}}}',
      { response_format: { type: 'text' } },
      '{"model":"m","response_format":{"type":"text"}}',
    ],
    [
      'a limit of the responses API',
      '{"model":"m","max_completion_tokens":9,"n":1}',
      { max_output_tokens: 5 },
      '{"model":"m","max_completion_tokens":5,"n":1}',
    ],
  ])('write %s', async (_, body, override, expected) => {
    expect((await prepare({ body, leaf: { override } })).body).toBe(expected);
  });

  it.each<[Endpoint, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]>([
    ['responses', { max_tokens: 5 }, { max_output_tokens: 9 }, { max_output_tokens: 5 }],
    ['responses', { max_completion_tokens: 5 }, { max_tokens: 9, max_completion_tokens: 9 }, { max_output_tokens: 5 }],
    ['responses', { max_tokens: 4, max_output_tokens: 5, n: 1 }, { max_output_tokens: 9 }, { max_output_tokens: 5, n: 1 }],
    ['messages', { max_completion_tokens: 5 }, { max_tokens: 9 }, { max_tokens: 5 }],
    ['messages', { max_output_tokens: 5 }, { max_tokens: 9, max_completion_tokens: 8 }, { max_tokens: 5 }],
    ['completions', { max_output_tokens: 5 }, { max_tokens: 9 }, { max_tokens: 5 }],
    ['embeddings', { max_tokens: 5 }, {}, { max_tokens: 5 }],
    [
      'responses',
      { reasoning_effort: 'low' },
      { reasoning: { effort: 'high', summary: 'auto' } },
      { reasoning: { summary: 'auto', effort: 'low' } },
    ],
    ['messages', { reasoning_effort: 'low' }, { output_config: { effort: 'high' } }, { output_config: { effort: 'low' } }],
    ['messages', { reasoning_effort: 'low' }, { thinking: { type: 'enabled', budget_tokens: 9 } }, { output_config: { effort: 'low' } }],
    ['chat/completions', { reasoning: { effort: 'low' } }, { reasoning_effort: 'high' }, { reasoning: { effort: 'low' } }],
  ])('write a parameter by the name that the route reads: %s %j', async (endpoint, override, field, expected) => {
    const operations = { [endpoint]: makeProvider().operations['chat/completions'] };
    const binding = makeBinding('main', { provider: makeProvider({ operations }) });
    const { body } = await prepare({ binding, overrides: { endpoint }, body: { model: 'm', ...field }, leaf: { override } });
    expect(JSON.parse(body ?? '')).toEqual({ model: 'm', ...expected });
  });

  it('leave all other bytes unchanged', async () => {
    const body = '{ "model": "m", "seed": 12345678901234567890, "temperature": 1.0, "n":1 }';
    expect((await prepare({ body, leaf: { override: { n: 2 } } })).body).toBe(body.replace('"n":1', '"n":2'));
  });

  it('do not change the object in the configuration', async () => {
    const override = Object.freeze({ labels: Object.freeze({ team: 'a' }) });
    await prepare({ body: { ...chat, labels: { other: 'b' } }, leaf: { override } });
    expect(override).toEqual({ labels: { team: 'a' } });
  });

  it('do not override stream, with one warning', async () => {
    const { body, ctx } = await prepare({ leaf: { override: { stream: true } } });
    expect(JSON.parse(body ?? '')).toEqual(chat);
    expect(ctx.warnings).toEqual([expect.stringMatching(/stream is not applied/)]);
  });

  it.each([
    [
      'a relayed body',
      10,
      { model: 'm', n: 2, labels: { a: 'b' } },
      [expect.stringContaining('override_params (model, n) are not applied')],
    ],
    ['a relayed body that needs only labels', 10, { labels: { a: 'b' } }, []],
    ['no body', 0, { n: 2 }, []],
  ])('add a warning if they cannot be written to %s', async (_, length, override, warnings) => {
    const binding = makeBinding('main', { provider: makeProvider({ relay: () => ({ origin: 'https://api.example', path: '/' }) }) });
    const body = { kind: 'passing', contentType: 'application/json', length } as PassThroughBody;
    const overrides = { endpoint: 'relay', method: length === 0 ? 'GET' : 'POST', path: '/v1/rerank', body } as const;
    expect((await prepare({ binding, overrides, leaf: { override } })).ctx.warnings).toEqual(warnings);
  });
});
