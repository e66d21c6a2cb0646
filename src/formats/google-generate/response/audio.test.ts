import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { type AudioFormat, audioFormat } from './audio.ts';
import { laterExtras } from './extras.ts';
import { toGenerateContent } from '../request/index.ts';
import { fromGenerateContent } from './result.ts';
import { GenerateContentStream } from './stream.ts';

const samples = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]);
const audioPart = (bytes: Buffer, mimeType = 'audio/L16;codec=pcm;rate=16000') => ({
  inlineData: { mimeType, data: bytes.toString('base64') },
});
const response = (parts: readonly object[], extra: object = {}): string =>
  JSON.stringify({ candidates: [{ content: { parts }, ...extra }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } });
const call = (audioFormat: AudioFormat | undefined) => ({ model: 'g', strict: true, id: 'req_1', createdAt: 5, audioFormat });

function convertWhole(text: string, format: AudioFormat | undefined): JsonObject {
  const { choices } = fromGenerateContent(text, call(format)) as { choices: { message: JsonObject }[] };
  return choices[0]?.message['audio'] as JsonObject;
}

/** Returns the deltas of `audio`, joined as SDKs join them. */
function streamed(texts: readonly string[], format: AudioFormat | undefined): Record<string, string | number> {
  const stream = new GenerateContentStream(call(format));
  const events = [...texts.flatMap((data) => [...stream.push({ name: '', data })]), ...stream.end()];
  const result: Record<string, string | number> = {};
  for (const event of events) {
    if (event.type !== 'audio') continue;
    for (const [key, value] of Object.entries(event.audio as Record<string, string | number>))
      result[key] = typeof value === 'string' ? `${result[key] ?? ''}${value}` : value;
  }
  return result;
}

const bytesOf = ({ data }: Record<string, unknown>): Buffer => Buffer.from(String(data), 'base64');

describe('audio of a response', () => {
  const parts = [audioPart(samples.subarray(0, 1)), audioPart(samples.subarray(1, 6)), audioPart(samples.subarray(6))];
  const frames = [...parts.map((part) => response([part])), response([], { finishReason: 'STOP' })];

  it('is joined from all parts, streamed and whole', () => {
    expect(bytesOf(convertWhole(response(parts), undefined))).toEqual(samples);
    expect(bytesOf(streamed(frames, undefined))).toEqual(samples);
    expect(streamed(frames, undefined)).toMatchObject({ id: 'audio_req_1', transcript: '', expires_at: 5 });
  });

  it('has a WAV header if the client requested wav', () => {
    const file = bytesOf(convertWhole(response(parts), 'wav'));
    expect(file.subarray(44)).toEqual(samples);
    expect([file.toString('latin1', 0, 4), file.toString('latin1', 8, 16), file.toString('latin1', 36, 40)]).toEqual([
      'RIFF',
      'WAVEfmt ',
      'data',
    ]);
    expect([file.readUInt32LE(4), file.readUInt32LE(40)]).toEqual([44, 8]);
    expect([file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt32LE(28), file.readUInt16LE(34)]).toEqual([
      1, 1, 16_000, 32_000, 16,
    ]);
  });

  it('has a WAV header without a length in a stream', () => {
    const file = bytesOf(streamed(frames, 'wav'));
    expect(file.subarray(44)).toEqual(samples);
    expect([file.readUInt32LE(4), file.readUInt32LE(40)]).toEqual([0xffffffff, 0xffffffff]);
  });

  it.each(['audio/wav', 'audio/mpeg', 'audio/pcma'])('is not changed if its type is %s', (type) => {
    expect(bytesOf(convertWhole(response([audioPart(samples, type)]), 'wav'))).toEqual(samples);
    expect(bytesOf(streamed([response([audioPart(samples, type)], { finishReason: 'STOP' })], 'wav'))).toEqual(samples);
  });

  it.each(['audio/L16', 'audio/pcm;rate=0', 'audio/L16;rate=999999', 'audio/L16;rate=x'])('has the default sample rate for %s', (type) => {
    expect(bytesOf(convertWhole(response([audioPart(samples, type)]), 'wav')).readUInt32LE(24)).toBe(24_000);
  });
});

describe('audio.format of a request', () => {
  const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;
  const rows: readonly [format: unknown, expected: AudioFormat | undefined, dropped: readonly string[]][] = [
    ['pcm16', undefined, []],
    [undefined, undefined, []],
    ['wav', 'wav', []],
    ['mp3', 'wav', ['audio.format']],
    ['opus', 'wav', ['audio.format']],
    [7, 'wav', ['audio.format']],
  ];

  it.each(rows)('is accepted, replaced or dropped: %s', (format, expected, dropped) => {
    const body = { messages: [{ role: 'user', content: 'Hi' }], modalities: ['audio'], audio: { voice: 'Kore', format } };
    const served = toGenerateContent(body, { model: 'gemini-2.5-flash-preview-tts', media: new Map(), strict: true }, options);
    expect(served.dropped.map(({ param }) => param)).toEqual(dropped);
    expect(audioFormat(body)).toBe(expected);
  });
});

describe('laterExtras', () => {
  it('merges the members of grounding metadata and all citations', () => {
    const candidateBefore = { groundingMetadata: { webSearchQueries: ['q'], a: 1 }, citationMetadata: { citations: [{ uri: 'u' }] } };
    const now = {
      groundingMetadata: { groundingChunks: [], a: 2 },
      citationMetadata: { citations: [{ uri: 'u' }, { uri: 'v' }] },
      avgLogprobs: 1,
    };
    expect(laterExtras(candidateBefore, now)).toEqual({
      groundingMetadata: { webSearchQueries: ['q'], groundingChunks: [], a: 2 },
      citationMetadata: { citations: [{ uri: 'u' }, { uri: 'v' }] },
      avgLogprobs: 1,
    });
    expect(laterExtras(candidateBefore, { groundingMetadata: {} })).toEqual({ groundingMetadata: candidateBefore.groundingMetadata });
  });
});
