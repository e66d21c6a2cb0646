import { describe, expect, it } from 'vitest';
import { ImageTap } from './image-tap.ts';
import { JsonTap, WholeTap } from '../shared/answer/json-tap.ts';
import { ResponsesTap } from '../openai-responses/tap.ts';

const event = (type: string, more: object = {}) => ({ name: type, data: JSON.stringify({ type, sequence_number: 0, ...more }) });
const response = (status: string, more: object = {}) => ({ response: { id: 'resp_1', object: 'response', model: 'm-1', status, ...more } });
const usage = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
};

describe('the responses tap', () => {
  it('opens with nothing, commits with a delta and ends with the terminal event', () => {
    const tap = new ResponsesTap();
    const kinds = [
      event('response.created', response('in_progress')),
      event('response.in_progress', response('in_progress')),
      event('response.output_item.added'),
      event('response.content_part.added'),
      event('response.output_text.delta', { delta: 'Hi' }),
      event('response.completed', response('completed', { usage })),
    ].map((one) => tap.event(one));
    expect(kinds).toEqual(['meta', 'meta', 'meta', 'meta', 'content', 'end']);
    expect(tap).toMatchObject({
      complete: true,
      id: 'resp_1',
      model: 'm-1',
      finish: ['completed'],
      usage: { prompt: 5, completion: 7, cached: 2, reasoning: 3 },
    });
  });

  it('finds the type in the data when the event has no name', () => {
    const tap = new ResponsesTap();
    expect(tap.event({ name: '', data: event('response.output_text.delta').data })).toBe('content');
    expect(
      tap.event({
        name: '',
        data: event('response.incomplete', response('incomplete', { incomplete_details: { reason: 'max_output_tokens' } })).data,
      }),
    ).toBe('end');
    expect(tap.finish).toEqual(['max_output_tokens']);
  });

  it.each([
    [
      'an error event',
      { name: 'error', data: '{"type":"error","code":"server_error","message":"broke","param":null}' },
      { message: 'broke', code: 'server_error' },
    ],
    [
      'a failure before anything was seen',
      event('response.failed', response('failed', { error: { code: 'rate_limit', message: 'slow down' } })),
      { message: 'slow down', code: 'rate_limit' },
    ],
    ['an error object without a type', { name: '', data: '{"error":{"message":"No.","code":"x"}}' }, { message: 'No.', code: 'x' }],
  ])('takes %s as a fault', (_name, one, fault) => {
    const tap = new ResponsesTap();
    tap.event(event('response.created', response('in_progress')));
    expect(tap.event(one)).toBe('fault');
    expect(tap.fault).toMatchObject(fault);
  });

  it('commits with the id of work in the background', () => {
    const tap = new ResponsesTap();
    expect(tap.event(event('response.created', response('queued', { background: true })))).toBe('content');
    expect(tap.event(event('response.queued', response('queued', { background: true })))).toBe('meta');
    expect(tap.id).toBe('resp_1');
  });

  it('takes a failure after content as the end that it is', () => {
    const tap = new ResponsesTap();
    tap.event(event('response.output_text.delta'));
    expect(tap.event(event('response.failed', response('failed', { error: { message: 'x' } })))).toBe('end');
    expect([tap.complete, tap.fault]).toEqual([true, undefined]);
  });

  it('takes an answer without any output as content and complete', () => {
    const tap = new ResponsesTap();
    expect(tap.event(event('response.completed', response('completed')))).toBe('content');
    expect(tap.complete).toBe(true);
  });

  it.each([
    ['made', false, {}, 5],
    ['read', true, {}, undefined],
    ['made in the background', false, { background: true }, 5],
    ['read after it worked in the background', true, { background: true }, 5],
  ])('counts a response that is %s', (_, isStored, more, prompt) => {
    const whole = new ResponsesTap({}, isStored);
    whole.whole(JSON.stringify(response('completed', { usage, ...more }).response));
    const streamed = new ResponsesTap({}, isStored);
    streamed.event(event('response.output_text.delta'));
    streamed.event(event('response.completed', response('completed', { usage, ...more })));
    for (const tap of [whole, streamed]) expect([tap.usage?.prompt, tap.finish, tap.model]).toEqual([prompt, ['completed'], 'm-1']);
  });

  it('counts the searches that are charged: not the pages that the model opens', () => {
    const web = (action?: object): object => ({ type: 'web_search_call', ...(action === undefined ? {} : { action }) });
    const actions = [
      { type: 'search', query: 'q' },
      { type: 'open_page', url: 'u' },
      { type: 'find_in_page', url: 'u', pattern: 'p' },
    ];
    const output = [...actions.map(web), web(), { type: 'file_search_call' }, { type: 'message' }, null];
    const tap = new ResponsesTap();
    tap.whole(JSON.stringify(response('completed', { usage, output }).response));
    expect(tap.usage?.details).toEqual({ web_searches: 2, file_searches: 1 });
  });

  it.each([
    ['in the background', { background: true }, [5, undefined, undefined]],
    ['while its client waits', {}, [5, undefined, undefined]],
  ])('counts a response that was made %s once, however often it is read', (_, more, prompts) => {
    const seen = new Set<string>();
    const reports = { isFirstReport: (id: string) => !seen.has(id) && seen.add(id) !== undefined };
    const taps = [new ResponsesTap(reports), new ResponsesTap(reports, true), new ResponsesTap(reports, true)];
    for (const tap of taps) tap.whole(JSON.stringify(response('completed', { usage, ...more }).response));
    expect(taps.map((tap) => tap.usage?.prompt)).toEqual(prompts);
  });

  it('counts work in the background when it has ended', () => {
    const seen: string[] = [];
    const reports = { isFirstReport: (id: string) => seen.push(id) > 0 };
    const tap = new ResponsesTap(reports, true);
    tap.whole(JSON.stringify(response('in_progress', { usage: null, background: true }).response));
    expect([tap.usage, seen]).toEqual([undefined, []]);
  });

  it.each([
    ['made', false, {}, 1],
    ['made in the background', false, { background: true }, 0],
    ['read', true, {}, 0],
    ['read after it worked in the background', true, { background: true }, 0],
  ])('estimates from the events of a stream that is %s and breaks off: %s', (_, isStored, more, events) => {
    const tap = new ResponsesTap({}, isStored);
    tap.event(event('response.created', response('in_progress', more)));
    tap.event(event('response.output_text.delta'));
    expect(tap.contentEvents).toBe(events);
  });

  it('lets a whole failed response pass and takes a bare error as a fault', () => {
    expect(new ResponsesTap().whole(JSON.stringify(response('failed', { error: { message: 'x' } }).response))).toBeUndefined();
    expect(new ResponsesTap().whole('{"error":{"message":"x"}}')).toMatchObject({ message: 'x' });
  });
});

describe('the image tap', () => {
  const picture = 'A'.repeat(100_000);

  it('commits with a partial picture and reads usage behind megabytes', () => {
    const tap = new ImageTap();
    expect(tap.event(event('image_generation.partial_image', { b64_json: picture }))).toBe('content');
    expect(tap.event(event('image_generation.completed', { b64_json: picture, usage: { input_tokens: 1, output_tokens: 2 } }))).toBe('end');
    expect(tap).toMatchObject({ complete: true, usage: { prompt: 1, completion: 2 } });
  });

  it('commits with the picture itself where there are no partial ones', () => {
    const tap = new ImageTap();
    expect(tap.event(event('image_generation.completed', { b64_json: picture }))).toBe('content');
    expect(tap.complete).toBe(true);
  });

  it('takes an error as a fault', () => {
    expect(new ImageTap().event({ name: 'error', data: '{"error":{"message":"no"}}' })).toBe('fault');
    expect(new ImageTap().event({ name: '', data: '{ "error": {"message":"no"}}' })).toBe('fault');
  });
});

describe('the JSON tap', () => {
  it('reads usage and model without the vectors', () => {
    const tap = new JsonTap();
    expect(
      tap.whole('{"object":"list","data":[{"embedding":[0.1,"\\u00fc"]}],"model":"e-1","usage":{"prompt_tokens":4,"total_tokens":4}}'),
    ).toBeUndefined();
    expect(tap).toMatchObject({ complete: true, model: 'e-1', usage: { prompt: 4, completion: 0 } });
  });

  it.each([
    ['', false],
    ['{"data":[', false],
    ['{}', true],
  ])('of %j is complete: %s', (text, complete) => {
    const tap = new JsonTap();
    tap.whole(text);
    expect(tap.complete).toBe(complete);
  });

  it('takes an error under 200 as a fault', () => {
    expect(new JsonTap().whole('{"error":{"message":"no"}}')).toMatchObject({ message: 'no' });
  });
});

it('the whole tap sees nothing and is complete', () => {
  const tap = new WholeTap();
  expect(tap.whole('binary')).toBeUndefined();
  expect([tap.complete, tap.usage]).toEqual([true, undefined]);
});
