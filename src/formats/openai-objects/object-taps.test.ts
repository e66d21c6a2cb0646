import { describe, expect, it } from 'vitest';
import { AudioTap, transcriptForm } from './audio-tap.ts';
import { batchOutput } from './batch-output.ts';
import { ObjectTap } from './object-tap.ts';

describe('ObjectTap', () => {
  it.each([
    ['a job that failed', '{"object":"fine_tuning.job","id":"j-1","error":{"code":"x","message":"bad file"}}', undefined],
    ['a job that did not fail', '{"object":"fine_tuning.job","id":"j-1","error":{}}', undefined],
    ['a bare error', '{"error":{"message":"broke"}}', 'broke'],
    ['a list', '{"object":"list","data":[]}', undefined],
    ['text that is not JSON', 'x', undefined],
  ])('reads %s', (_name, text, message) => {
    const tap = new ObjectTap();
    expect(tap.whole(text)?.message).toBe(message);
  });

  it('reads a list with more members than a request may have', () => {
    const file = '{"object":"file","id":"file-1","purpose":"batch","filename":"a","bytes":1,"created_at":1,"status":"processed"}';
    const tap = new ObjectTap();
    tap.whole(`{"object":"list","data":[${Array.from({ length: 20_000 }, () => file).join()}],"has_more":false}`);
    expect(tap.complete).toBe(true);
  });

  it('does not count what a batch has used', () => {
    const tap = new ObjectTap();
    tap.whole('{"object":"batch","id":"b-1","model":"m","usage":{"input_tokens":5,"output_tokens":7}}');
    expect(tap).toMatchObject({ complete: true, id: 'b-1', model: 'm', usage: undefined, contentEvents: 0 });
  });
});

const event = (type: string, extra: object = {}, name = '') => ({ name, data: JSON.stringify({ type, ...extra }) });
/** An event without a name whose first member is an object with a type of its own. */
const lateType = (type: string, more: object = {}) => ({ name: '', data: JSON.stringify({ audio: { type: 'x' }, ...more, type }) });
const usage = { type: 'tokens', input_tokens: 14, input_token_details: { audio_tokens: 14 }, output_tokens: 3 };

describe('AudioTap', () => {
  it.each([
    ['speech', [event('speech.audio.delta', { audio: '//8=' }), event('speech.audio.done', { usage })], ['content', 'end']],
    [
      'a transcript',
      [event('transcript.text.delta', { delta: 'a' }), event('transcript.text.done', { text: 'a', usage })],
      ['content', 'end'],
    ],
    ['a transcript in one piece', [event('transcript.text.done', { text: 'a', usage })], ['content']],
    [
      'speech with the type as the last member',
      [lateType('speech.audio.delta'), lateType('speech.audio.done', { usage })],
      ['content', 'end'],
    ],
    ['named events', [event('x.delta', {}, 'speech.audio.delta'), event('x', { usage }, 'speech.audio.done')], ['content', 'end']],
  ])('reads a stream of %s', (_name, events, kinds) => {
    const tap = new AudioTap('bytes');
    expect(events.map((event) => tap.event(event))).toEqual(kinds);
    expect(tap).toMatchObject({ complete: true, usage: { prompt: 14, completion: 3, audioIn: 14 } });
  });

  // vLLM, entrypoints/openai/protocol.py, TranscriptionStreamResponse and TranslationStreamResponse.
  const chunk = (choices: object[], more: object = {}) => ({
    name: '',
    data: JSON.stringify({ id: 'trsc-1', object: 'transcription.chunk', created: 1, model: 'whisper', choices, ...more }),
  });
  const delta = (content: string, finish_reason: string | null = null) => ({ delta: { content }, finish_reason });
  const done = { name: '', data: '[DONE]' };
  const tokens = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };

  it.each([
    [
      'and usage at the end',
      [chunk([delta('')]), chunk([delta('Hello')]), chunk([delta(' you', 'stop')]), chunk([], { usage: tokens }), done],
      ['meta', 'content', 'content', 'meta', 'end'],
      { usage: { prompt: 7, completion: 2 } },
    ],
    [
      'and usage in each event',
      [chunk([delta('Hello')], { usage: tokens }), chunk([delta('', 'stop')], { usage: tokens }), done],
      ['content', 'content', 'end'],
      { usage: { prompt: 7, completion: 2 } },
    ],
    ['and no usage', [chunk([delta('Hello', 'stop')]), done], ['content', 'end'], { usage: undefined }],
  ])('reads a stream in chunks of the chat format %s', (_name, events, kinds, expected) => {
    const tap = new AudioTap('json');
    expect(events.map((one) => tap.event(one))).toEqual(kinds);
    expect(tap).toMatchObject({ complete: true, model: 'whisper', ...expected });
  });

  it('reads a stream in chunks as incomplete until its end mark, because each part of long audio has a finish reason', () => {
    const tap = new AudioTap('json');
    for (const one of [chunk([delta('Hello', 'stop')]), chunk([delta(' again')])]) tap.event(one);
    expect(tap.complete).toBe(false);
  });

  it('reads an error in a stream of chunks as fault', () => {
    const tap = new AudioTap('json');
    tap.event(chunk([delta('Hello')]));
    expect(tap.event({ name: '', data: '{"object":"error","error":{"message":"broke"}}' })).toBe('fault');
    expect(tap.fault?.message).toBe('broke');
  });

  it('reads an error event as fault', () => {
    const tap = new AudioTap('bytes');
    expect(tap.event({ name: '', data: '{"error":{"message":"broke"}}' })).toBe('fault');
    expect(tap.fault?.message).toBe('broke');
  });

  it('reads a complete transcript', () => {
    const tap = new AudioTap('json');
    expect(tap.whole(JSON.stringify({ text: 'a', usage }))).toBeUndefined();
    expect(tap.usage).toMatchObject({ prompt: 14, completion: 3 });
    expect(new AudioTap('json').whole('{"text":"a","usage":{"type":"duration","seconds":9}}')).toBeUndefined();
  });

  const form = (fields: Record<string, string>, isBuffered = true) => ({ fields: new Map(Object.entries(fields)), isBuffered });

  it.each([
    [form({}), 'json'],
    [form({ response_format: 'verbose_json' }), 'json'],
    [form({ response_format: 'srt' }), 'bytes'],
    [form({}, false), 'bytes'],
    [form({ response_format: 'json' }, false), 'json'],
    [undefined, 'bytes'],
  ])('expects for %j a response in the form %s', (requestFields, expected) => {
    expect(transcriptForm(requestFields)).toBe(expected);
  });
});

describe('batchOutput', () => {
  it.each([
    ['the output file', { output_file_id: 'o-1', error_file_id: 'e-1' }, 'o-1', 0],
    ['the error file, with a warning', { output_file_id: null, error_file_id: 'e-1' }, 'e-1', 1],
  ])('returns %s', (_name, batch, fileId, warnings) => {
    const output = batchOutput(JSON.stringify(batch));
    expect([output.fileId, output.warnings.length]).toEqual([fileId, warnings]);
  });

  it.each([
    ['in_progress', 409],
    ['Cancelling', 409],
    ['completed', 404],
    ['Failed', 404],
  ])('throws no_batch_output for a batch that is %s', (status, expected) => {
    expect(() => batchOutput(JSON.stringify({ id: 'b-1', status }))).toThrow(
      expect.objectContaining({ code: 'no_batch_output', status: expected }),
    );
  });
});
