import { describe, expect, it } from 'vitest';
import { ask, errorOf, form, type Json, rowsOf } from '../../../test/mock/ask.ts';

describe('mock audio/speech', () => {
  const createSpeech = (overrides: Json = {}) => ask('audio/speech', { body: { model: 'tts', input: 'hi', voice: 'alloy', ...overrides } });

  it('returns WAV files', () => {
    const { bytes, type } = createSpeech({ response_format: 'wav' });
    expect(type).toBe('audio/wav');
    expect([bytes.toString('latin1', 0, 4), bytes.readUInt32LE(4) + 8, bytes.toString('latin1', 8, 16)]).toEqual([
      'RIFF',
      bytes.length,
      'WAVEfmt ',
    ]);
    expect([bytes.readUInt16LE(20), bytes.readUInt16LE(22), bytes.readUInt32LE(24), bytes.readUInt32LE(40)]).toEqual([
      1,
      1,
      8000,
      bytes.length - 44,
    ]);
    expect(new Set(bytes.subarray(44)).size).toBeGreaterThan(50);
    expect(createSpeech({ response_format: 'pcm' }).bytes).toEqual(bytes.subarray(44));
  });

  it('returns a body of complete MP3 frames', () => {
    const { bytes, type } = createSpeech();
    expect(type).toBe('audio/mpeg');
    // MPEG-1 layer III: 144 × bit rate / sample rate bytes a frame.
    for (let offset = 0; offset < bytes.length; offset += (144 * 32_000) / 32_000) {
      expect(bytes.readUInt32BE(offset)).toBe(0xff_fb_18_c0);
    }
    expect(bytes.length % 144).toBe(0);
  });

  it('returns events with stream_format sse', () => {
    const { text, type } = createSpeech({ stream_format: 'sse' });
    expect(type).toContain('event-stream');
    const audio = [...text.matchAll(/"audio":"([^"]*)"/g)].map(([, part]) => Buffer.from(part ?? '', 'base64'));
    expect(Buffer.concat(audio)).toEqual(createSpeech().bytes);
    expect(text).toMatch(/"type":"speech\.audio\.done","usage"/);
  });

  it('rejects an unsupported response_format', () => {
    expect(errorOf(createSpeech({ response_format: 'opus' }))).toMatchObject({ param: 'response_format', code: 'unsupported_value' });
  });
});

describe('mock audio/transcriptions', () => {
  const transcribe = (fields: Json, endpoint: 'audio/transcriptions' | 'audio/translations' = 'audio/transcriptions') =>
    ask(endpoint, { form: form({ model: 'whisper-1', ...fields }) });

  it.each([
    [{}, 'application/json', /^\{"text":"Hello from the mock\.","usage"/],
    [{ response_format: 'text' }, 'text/plain; charset=utf-8', /^Hello from the mock\.\n$/],
    [{ response_format: 'srt' }, 'text/plain; charset=utf-8', /^1\n00:00:00,000 --> 00:00:01,000\nHello/],
    [{ response_format: 'vtt' }, 'text/plain; charset=utf-8', /^WEBVTT\n\n00:00:00\.000 --> /],
    [{ response_format: 'verbose_json' }, 'application/json', /"segments":\[\{"id":0/],
    [{ response_format: 'diarized_json' }, 'application/json', /"speaker":"A"/],
    [{ stream: 'true' }, 'text/event-stream; charset=utf-8', /transcript\.text\.delta[\s\S]*transcript\.text\.done/],
    [{ stream: 'false', temperature: '0.5' }, 'application/json', /^\{"text"/],
  ])('returns the format that %j selects', (fields, type, expected) => {
    expect(transcribe(fields)).toMatchObject({ status: 200, type, text: expect.stringMatching(expected) as string });
  });

  it('reads a model field that follows the file', () => {
    const settings = { replies: { w: { text: 'set' } } };
    const lateResponse = ask('audio/transcriptions', { model: '', settings, form: form({ model: '@mock/w' }) });
    expect(lateResponse.json()).toMatchObject({ text: 'set' });
    expect(errorOf(ask('audio/transcriptions', { model: '', form: form({}) }))).toMatchObject({ param: 'model' });
  });

  it.each([
    [{ response_format: 'xml' }, 'response_format'],
    [{ temperature: 'warm' }, 'temperature'],
    [{ stream: 'maybe' }, 'stream'],
  ])('rejects %j', (fields, param) => {
    expect(transcribe(fields)).toMatchObject({ status: 400 });
    expect(errorOf(transcribe(fields))).toMatchObject({ param });
  });

  it('translates, and rejects requests without a file', () => {
    expect(transcribe({}, 'audio/translations').json()).toEqual({ text: 'Hello from the mock.' });
    expect(errorOf(ask('audio/translations', { form: form({}, null) }))).toMatchObject({ param: 'file' });
    expect(errorOf(ask('audio/transcriptions', { body: { file: 'x' } }))).toMatchObject({ param: 'file' });
  });
});

describe('mock image routes', () => {
  it.each([
    ['images/edits', { form: form({ prompt: 'a cat', n: '2' }) }, 2],
    ['images/edits', { body: { prompt: 'a cat', images: [{ file_id: 'file-1' }] } }, 1],
    ['images/variations', { form: form({ n: '3' }) }, 3],
  ] as const)('return the requested number of PNG images: %s (%#)', (endpoint, overrides, count) => {
    const response = ask(endpoint, overrides).json();
    expect(rowsOf(response)).toHaveLength(count);
    expect(Buffer.from(String(rowsOf(response)[0]?.['b64_json']), 'base64').toString('latin1', 1, 4)).toBe('PNG');
  });

  it('stream the events of images/edits', () => {
    expect(ask('images/edits', { form: form({ prompt: 'a', stream: 'true' }), stream: true }).text).toMatch(
      /image_edit\.partial_image[\s\S]*image_edit\.completed/,
    );
  });

  it.each([
    [{ form: form({ prompt: 'a' }, null) }, 'image'],
    [{ form: form({}) }, 'prompt'],
    [{ form: form({ prompt: 'a', n: '11' }) }, 'n'],
    [{ form: form({ prompt: 'a', n: 'two' }) }, 'n'],
    [{ body: { prompt: 'a', images: [] } }, 'image'],
    [{ body: { prompt: 'a' } }, 'image'],
  ])('reject images/edits with a missing or invalid field (%#)', (overrides, param) => {
    expect(ask('images/edits', overrides)).toMatchObject({ status: 400 });
    expect(errorOf(ask('images/edits', overrides))).toMatchObject({ param });
  });
});
