import { describe, expect, it } from 'vitest';
import type { Plain } from '#core/merge.ts';
import { imageTap } from './image-calls.ts';
import { fromImages, toImages } from './images.ts';

const made = (body: Plain, model = 'imagen-4.0-generate-001') => toImages({ prompt: 'a lighthouse', ...body }, model, 'vertex');
const parameters = (body: Plain): unknown => made(body).body['parameters'];
const answer = (data: string): string =>
  JSON.stringify({
    candidates: [{ content: { parts: [{ text: 'draft', thought: true }, { inlineData: { mimeType: 'image/png', data } }] } }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 10, totalTokenCount: 13 },
  });

describe('request for images', () => {
  it.each<[string, Plain, Plain]>([
    ['one unless more are asked for', {}, { sampleCount: 1 }],
    ['several at once', { n: 4 }, { sampleCount: 4 }],
    ['a size by the nearest ratio', { size: '1792x1024' }, { sampleCount: 1, aspectRatio: '16:9' }],
    ['a tall size', { size: '1024x1536' }, { sampleCount: 1, aspectRatio: '3:4' }],
    ['a ratio of its own', { size: '1024x1024', aspect_ratio: '9:16' }, { sampleCount: 1, aspectRatio: '9:16' }],
    ['a seed, which excludes the watermark', { seed: 7 }, { sampleCount: 1, seed: 7, addWatermark: false }],
    [
      'the best quality for jpeg',
      { output_format: 'jpeg', quality: 'hd' },
      { sampleCount: 1, outputOptions: { mimeType: 'image/jpeg', compressionQuality: 100 } },
    ],
    ['a format', { output_format: 'webp', quality: 'hd' }, { sampleCount: 1, outputOptions: { mimeType: 'image/webp' } }],
  ])('takes %s', (_, body, expected) => expect(parameters(body)).toEqual(expected));

  it('of a model that paints in a chat is sent as often as images are wanted, four times at the most', () => {
    const chat = (body: Plain) => made(body, 'gemini-2.5-flash-image');
    expect([chat({}).calls, chat({ n: 3 }).calls, chat({ n: 4 }).calls, chat({ n: 9 }).calls, made({ n: 9 }).calls]).toEqual([
      1, 3, 4, 4, 1,
    ]);
    expect(chat({ n: 4 }).dropped).toEqual([]);
    expect(chat({ n: 9 }).dropped).toMatchObject([{ param: 'n' }]);
    expect(chat({ size: '1536x1024' }).body['generationConfig']).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '3:2' },
    });
  });

  it('carries labels where the service takes them, and tells where not', () => {
    const labels = { team: 'search' };
    expect(made({ labels }).body['labels']).toEqual(labels);
    expect(made({ labels }, 'gemini-2.5-flash-image').body['labels']).toEqual(labels);
    const other = toImages({ prompt: 'x', labels }, 'imagen-4', 'developer');
    expect([other.body['labels'], other.dropped]).toMatchObject([undefined, [{ param: 'labels' }]]);
  });
});

describe('images of an answer', () => {
  const call = { createdAt: 1 };

  it('are those of all answers, with the tokens of all', () => {
    expect(fromImages([answer('AA=='), answer('BB==')], call)).toEqual({
      created: 1,
      data: [{ b64_json: 'AA==' }, { b64_json: 'BB==' }],
      usage: { input_tokens: 6, output_tokens: 20, total_tokens: 26 },
    });
    const tap = imageTap('gemini-2.5-flash-image', [{ status: 200, headers: {}, text: answer('AA==') }]);
    tap.whole(answer('BB=='));
    expect(tap.usage).toMatchObject({ prompt: 6, completion: 20 });
  });

  it('leave out the filtered ones', () => {
    const predictions = [
      { bytesBase64Encoded: 'AA==', prompt: 'rewritten' },
      { raiFilteredReason: 'filtered 1' },
      { gcsUri: 'gs://a/b.png' },
    ];
    expect(fromImages([JSON.stringify({ predictions })], call)['data']).toEqual([
      { b64_json: 'AA==', revised_prompt: 'rewritten' },
      { url: 'gs://a/b.png' },
    ]);
  });

  it.each([
    ['all were filtered', { predictions: [{ raiFilteredReason: 'Support codes: 1' }] }, /Support codes: 1/],
    ['there are none', {}, /no reason/],
    ['the prompt was blocked', { promptFeedback: { blockReason: 'SAFETY' } }, /SAFETY/],
  ])('are an error when %s', (_, body, message) => {
    expect(() => fromImages([JSON.stringify(body)], call)).toThrow(
      expect.objectContaining({
        status: 400,
        message: expect.stringMatching(message) as string,
        provider: expect.objectContaining({ code: 'content_filter' }) as object,
      }) as Error,
    );
  });
});
