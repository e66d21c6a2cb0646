import { describe, expect, it } from 'vitest';
import { ImageTap } from './image-tap.ts';
import { JsonTap, OpaqueTap } from '../shared/response/json-tap.ts';
import { ResponsesTap } from '../openai-responses/tap.ts';

const event = (type: string, extra: object = {}) => ({ name: type, data: JSON.stringify({ type, sequence_number: 0, ...extra }) });
const response = (status: string, extra: object = {}) => ({
  response: { id: 'resp_1', object: 'response', model: 'm-1', status, ...extra },
});
const usage = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
};

describe('ResponsesTap', () => {
  it('opens with meta events, commits with a delta and ends with the terminal event', () => {
    const tap = new ResponsesTap();
    const kinds = [
      event('response.created', response('in_progress')),
      event('response.in_progress', response('in_progress')),
      event('response.output_item.added'),
      event('response.content_part.added'),
      event('response.output_text.delta', { delta: 'Hi' }),
      event('response.completed', response('completed', { usage })),
    ].map((event) => tap.event(event));
    expect(kinds).toEqual(['meta', 'meta', 'meta', 'meta', 'content', 'end']);
    expect(tap).toMatchObject({
      complete: true,
      id: 'resp_1',
      model: 'm-1',
      finish: ['completed'],
      usage: { prompt: 5, completion: 7, cached: 2, reasoning: 3 },
    });
  });

  it('reads the type from the data if the event has no name', () => {
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
      'a failure before any content',
      event('response.failed', response('failed', { error: { code: 'rate_limit', message: 'slow down' } })),
      { message: 'slow down', code: 'rate_limit' },
    ],
    [
      'an error event with its other name',
      event('response.error', { error: { code: 'rate_limit_exceeded', message: 'slow down' } }),
      { message: 'slow down', code: 'rate_limit_exceeded' },
    ],
    ['an error object without a type', { name: '', data: '{"error":{"message":"No.","code":"x"}}' }, { message: 'No.', code: 'x' }],
  ])('reads %s as fault', (_name, errorEvent, fault) => {
    const tap = new ResponsesTap();
    tap.event(event('response.created', response('in_progress')));
    expect(tap.event(errorEvent)).toBe('fault');
    expect(tap.fault).toMatchObject(fault);
  });

  it('commits with the first event of a background response', () => {
    const tap = new ResponsesTap();
    expect(tap.event(event('response.created', response('queued', { background: true })))).toBe('content');
    expect(tap.event(event('response.queued', response('queued', { background: true })))).toBe('meta');
    expect(tap.id).toBe('resp_1');
  });

  it('reads a failure after content as a fault, with its usage', () => {
    const tap = new ResponsesTap();
    tap.event(event('response.output_text.delta'));
    expect(tap.event(event('response.failed', response('failed', { error: { message: 'x' }, usage })))).toBe('fault');
    expect(tap).toMatchObject({ fault: { message: 'x' }, usage: { prompt: 5 }, finish: ['failed'] });
  });

  it('reads the failure of a stored response as its content', () => {
    const tap = new ResponsesTap({}, true);
    tap.event(event('response.created', response('in_progress')));
    expect(tap.event(event('response.failed', response('failed', { error: { message: 'x' } })))).toBe('content');
    expect([tap.complete, tap.fault]).toEqual([true, undefined]);
  });

  it('reads a response without output as content and as complete', () => {
    const tap = new ResponsesTap();
    expect(tap.event(event('response.completed', response('completed')))).toBe('content');
    expect(tap.complete).toBe(true);
  });

  it.each([
    ['created', false, {}, 5],
    ['retrieved', true, {}, undefined],
    ['created in the background', false, { background: true }, 5],
    ['retrieved after background processing', true, { background: true }, 5],
  ])('counts the usage of a response that is %s', (_, isStored, extra, prompt) => {
    const wholeTap = new ResponsesTap({}, isStored);
    wholeTap.whole(JSON.stringify(response('completed', { usage, ...extra }).response));
    const streamed = new ResponsesTap({}, isStored);
    streamed.event(event('response.output_text.delta'));
    streamed.event(event('response.completed', response('completed', { usage, ...extra })));
    for (const tap of [wholeTap, streamed]) expect([tap.usage?.prompt, tap.finish, tap.model]).toEqual([prompt, ['completed'], 'm-1']);
  });

  it('counts the web searches that are charged, without opened pages', () => {
    const webSearchCall = (action?: object): object => ({ type: 'web_search_call', ...(action === undefined ? {} : { action }) });
    const actions = [
      { type: 'search', query: 'q' },
      { type: 'open_page', url: 'u' },
      { type: 'find_in_page', url: 'u', pattern: 'p' },
    ];
    const output = [...actions.map(webSearchCall), webSearchCall(), { type: 'file_search_call' }, { type: 'message' }, null];
    const tap = new ResponsesTap();
    tap.whole(JSON.stringify(response('completed', { usage, output }).response));
    expect(tap.usage?.details).toEqual({ web_searches: 2, file_searches: 1 });
  });

  it('counts each container in which the service ran code once', () => {
    const codeCall = (container_id?: string): object => ({ type: 'code_interpreter_call', container_id });
    const shellCall = (environment: object | null): object => ({ type: 'shell_call', environment });
    const inContainer = shellCall({ type: 'container_reference', container_id: 'c2' });
    const output = [codeCall('c1'), codeCall('c1'), inContainer, codeCall(), shellCall({ type: 'local' }), shellCall(null)];
    const tap = new ResponsesTap();
    tap.whole(JSON.stringify(response('completed', { usage, output }).response));
    expect(tap.usage?.details).toEqual({ containers: 3 });
  });

  it.each([
    ['in the background', { background: true }, [5, undefined, undefined]],
    ['in the foreground', {}, [5, undefined, undefined]],
  ])('counts a response that was created %s once, for any number of reads', (_, extra, prompts) => {
    const reportedIds = new Set<string>();
    const reports = { isFirstReport: (id: string) => !reportedIds.has(id) && reportedIds.add(id) !== undefined };
    const taps = [new ResponsesTap(reports), new ResponsesTap(reports, true), new ResponsesTap(reports, true)];
    for (const tap of taps) tap.whole(JSON.stringify(response('completed', { usage, ...extra }).response));
    expect(taps.map((tap) => tap.usage?.prompt)).toEqual(prompts);
  });

  it('counts a background response after it has ended', () => {
    const reportedIds: string[] = [];
    const reports = { isFirstReport: (id: string) => reportedIds.push(id) > 0 };
    const tap = new ResponsesTap(reports, true);
    tap.whole(JSON.stringify(response('in_progress', { usage: null, background: true }).response));
    expect([tap.usage, reportedIds]).toEqual([undefined, []]);
  });

  it.each([
    ['created', false, {}, 1],
    ['created in the background', false, { background: true }, 0],
    ['retrieved', true, {}, 0],
    ['retrieved after background processing', true, { background: true }, 0],
  ])('counts content events for an estimate if a stream that is %s is interrupted: %s', (_, isStored, extra, events) => {
    const tap = new ResponsesTap({}, isStored);
    tap.event(event('response.created', response('in_progress', extra)));
    tap.event(event('response.output_text.delta'));
    expect(tap.contentEvents).toBe(events);
  });

  it('accepts a failed response and reads a bare error object as fault', () => {
    expect(new ResponsesTap().whole(JSON.stringify(response('failed', { error: { message: 'x' } }).response))).toBeUndefined();
    expect(new ResponsesTap().whole('{"error":{"message":"x"}}')).toMatchObject({ message: 'x' });
  });
});

describe('ImageTap', () => {
  const imageData = 'A'.repeat(100_000);

  it('commits with a partial image and reads usage after megabytes of data', () => {
    const tap = new ImageTap();
    expect(tap.event(event('image_generation.partial_image', { b64_json: imageData }))).toBe('content');
    expect(tap.event(event('image_generation.completed', { b64_json: imageData, usage: { input_tokens: 1, output_tokens: 2 } }))).toBe(
      'end',
    );
    expect(tap).toMatchObject({ complete: true, usage: { prompt: 1, completion: 2 } });
  });

  it('reads the type of an event without a name, wherever it is', () => {
    const tap = new ImageTap();
    const data = JSON.stringify({ b64_json: imageData, usage: { input_tokens: 1, output_tokens: 2 }, type: 'image_generation.completed' });
    expect(tap.event({ name: '', data: ` ${data}` })).toBe('content');
    expect(tap).toMatchObject({ complete: true, usage: { prompt: 1, completion: 2 } });
  });

  it('commits with the final image if there are no partial ones', () => {
    const tap = new ImageTap();
    expect(tap.event(event('image_generation.completed', { b64_json: imageData }))).toBe('content');
    expect(tap.complete).toBe(true);
  });

  it('does not end with one of several images: the last one has the usage', () => {
    const tap = new ImageTap();
    const completed = (more: object) => tap.event(event('image_generation.completed', { b64_json: imageData, ...more }));
    expect([completed({}), completed({}), completed({ usage: { input_tokens: 1, output_tokens: 2 } })]).toEqual([
      'content',
      'content',
      'end',
    ]);
    expect(tap).toMatchObject({ complete: true, usage: { prompt: 1, completion: 2 } });
  });

  it('reads an error as fault', () => {
    expect(new ImageTap().event({ name: 'error', data: '{"error":{"message":"no"}}' })).toBe('fault');
    expect(new ImageTap().event({ name: '', data: '{ "error": {"message":"no"}}' })).toBe('fault');
  });
});

describe('JsonTap', () => {
  it('reads usage and model of an embeddings response', () => {
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
  ])('with %j is complete: %s', (text, complete) => {
    const tap = new JsonTap();
    tap.whole(text);
    expect(tap.complete).toBe(complete);
  });

  it('reads an error with status 200 as fault', () => {
    expect(new JsonTap().whole('{"error":{"message":"no"}}')).toMatchObject({ message: 'no' });
  });
});

it('OpaqueTap reads nothing and is complete', () => {
  const tap = new OpaqueTap();
  expect(tap.whole('binary')).toBeUndefined();
  expect([tap.complete, tap.usage]).toEqual([true, undefined]);
});
