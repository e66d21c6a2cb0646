import { describe, expect, it } from 'vitest';
import { emptyBody } from '../../../core/json/body.ts';
import { ImageTranslation } from './calls.ts';
import { fromImages } from './result.ts';

const response = (data: string): string =>
  JSON.stringify({
    candidates: [{ content: { parts: [{ text: 'draft', thought: true }, { inlineData: { mimeType: 'image/png', data } }] } }],
    usageMetadata: {
      promptTokenCount: 3,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 2,
      totalTokenCount: 15,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 2 },
        { modality: 'IMAGE', tokenCount: 1 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 8 }],
    },
  });

describe('fromImages', () => {
  const call = { createdAt: 1 };

  it('joins the images and tokens of all responses', () => {
    expect(fromImages([response('AA=='), response('BB==')], call)).toEqual({
      created: 1,
      data: [{ b64_json: 'AA==' }, { b64_json: 'BB==' }],
      usage: { input_tokens: 6, input_tokens_details: { image_tokens: 2, text_tokens: 4 }, output_tokens: 24, total_tokens: 30 },
      output_format: 'png',
    });
    const request = { origin: 'https://a.example', path: '/', method: 'POST', headers: [], body: emptyBody, dropped: [] };
    const { tap } = new ImageTranslation(request, { model: 'gemini-2.5-flash-image', calls: 2, call }, [response('AA==')]);
    tap.whole(response('BB=='));
    expect(tap.usage).toEqual({ prompt: 6, completion: 24, reasoning: 4, details: { image_in: 2, image_out: 16 } });
  });

  it.each([
    [['image/jpeg', 'image/jpeg'], 'jpeg'],
    [['image/jpeg', 'image/png'], undefined],
    [[undefined], undefined],
    [['video/mp4'], undefined],
  ])('sets output_format only if all images have the same one: %j', (types, format) => {
    const predictions = types.map((mimeType) => ({ bytesBase64Encoded: 'AA==', mimeType }));
    expect(fromImages([JSON.stringify({ predictions })], call)['output_format']).toBe(format);
  });

  it('omits filtered images', () => {
    const predictions = [
      { bytesBase64Encoded: 'AA==', prompt: 'rewritten' },
      { raiFilteredReason: 'filtered 1' },
      { bytesBase64Encoded: '', mimeType: 'image/png' },
      { gcsUri: 'gs://a/b.png' },
    ];
    expect(fromImages([JSON.stringify({ predictions })], call)['data']).toEqual([
      { b64_json: 'AA==', revised_prompt: 'rewritten' },
      { url: 'gs://a/b.png' },
    ]);
  });

  it('returns the reason of the first response that has one', () => {
    const texts = [{ candidates: [{ content: { parts: [] } }] }, { candidates: [{ finishReason: 'IMAGE_SAFETY' }] }];
    expect(() =>
      fromImages(
        texts.map((each) => JSON.stringify(each)),
        call,
      ),
    ).toThrow(/IMAGE_SAFETY/i);
  });

  it.each([
    ['all images were filtered', { predictions: [{ raiFilteredReason: 'Support codes: 1' }] }, /Support codes: 1/],
    ['there are no images', {}, /no reason/],
    ['the prompt was blocked', { promptFeedback: { blockReason: 'SAFETY' } }, /SAFETY/],
  ])('throws content_filter if %s', (_, body, message) => {
    expect(() => fromImages([JSON.stringify(body)], call)).toThrow(
      expect.objectContaining({
        status: 400,
        message: expect.stringMatching(message) as string,
        provider: expect.objectContaining({ code: 'content_filter' }) as object,
      }) as Error,
    );
  });
});

it.each(['imagen-4.0-generate-001', 'gemini-2.5-flash-image'])('an image tap of %s reads an error with status 200', (model) => {
  const request = { origin: '', path: '', method: 'POST', headers: [], body: emptyBody, dropped: [] };
  const { tap } = new ImageTranslation(request, { model, calls: 1, call: { createdAt: 1 } });
  expect(tap.whole('{"error":{"code":429,"message":"Quota.","status":"RESOURCE_EXHAUSTED"}}')).toMatchObject({ message: 'Quota.' });
});

it('an image tap counts only images that were returned', () => {
  const request = { origin: '', path: '', method: 'POST', headers: [], body: emptyBody, dropped: [] };
  const { tap } = new ImageTranslation(request, { model: 'imagen-4.0-generate-001', calls: 1, call: { createdAt: 1 } });
  tap.whole(
    '{"predictions":[{"bytesBase64Encoded":"AA=="},{"raiFilteredReason":"no"},{"bytesBase64Encoded": ""},{"gcsUri": "gs://a/b.png"}]}',
  );
  expect(tap.usage).toEqual({ prompt: 0, completion: 0, details: { images: 2 } });
});
