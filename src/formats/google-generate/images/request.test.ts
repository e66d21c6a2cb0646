import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { toImages } from './request.ts';

const imageRequest = (body: JsonObject, model = 'imagen-4.0-generate-001') =>
  toImages({ prompt: 'a lighthouse', ...body }, model, { surface: 'vertex' });
const parameters = (body: JsonObject): unknown => imageRequest(body).body['parameters'];
const chatModel = 'gemini-2.5-flash-image';

describe('toImages', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['one image by default', {}, { sampleCount: 1 }],
    ['several images', { n: 4 }, { sampleCount: 4 }],
    ['a size as the nearest aspect ratio', { size: '1792x1024' }, { sampleCount: 1, aspectRatio: '16:9' }],
    ['a portrait size', { size: '1024x1536' }, { sampleCount: 1, aspectRatio: '3:4' }],
    ['an explicit aspect ratio', { size: '1024x1024', aspect_ratio: '9:16' }, { sampleCount: 1, aspectRatio: '9:16' }],
    ['a seed, which disables the watermark', { seed: 7 }, { sampleCount: 1, seed: 7, addWatermark: false }],
    [
      'the best quality for jpeg',
      { output_format: 'jpeg', quality: 'hd' },
      { sampleCount: 1, outputOptions: { mimeType: 'image/jpeg', compressionQuality: 100 } },
    ],
    [
      'a compression, which takes precedence over the quality',
      { output_format: 'jpeg', output_compression: 70, quality: 'hd' },
      { sampleCount: 1, outputOptions: { mimeType: 'image/jpeg', compressionQuality: 70 } },
    ],
    ['the maximum number of images', { n: 9 }, { sampleCount: 4 }],
    [
      'settings of the chat models',
      { image_config: { aspect_ratio: '9:16', imageSize: '2K' } },
      { sampleCount: 1, aspectRatio: '9:16', sampleImageSize: '2K' },
    ],
  ])('converts to parameters: %s', (_, body, expected) => expect(parameters(body)).toEqual(expected));

  it('repeats the request of a chat model for each image, at most four times', () => {
    const chat = (body: JsonObject) => imageRequest(body, 'gemini-2.5-flash-image');
    expect([chat({}).calls, chat({ n: 3 }).calls, chat({ n: 4 }).calls, chat({ n: 9 }).calls, imageRequest({ n: 9 }).calls]).toEqual([
      1, 3, 4, 4, 1,
    ]);
    expect(chat({ n: 4 }).dropped).toEqual([]);
    expect(chat({ n: 9 }).dropped).toMatchObject([{ param: 'n' }]);
    expect(chat({ size: '1536x1024' }).body['generationConfig']).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '3:2' },
    });
  });

  it('sends labels to services that accept them, and reports them as dropped otherwise', () => {
    const labels = { team: 'search' };
    expect(imageRequest({ labels }).body['labels']).toEqual(labels);
    expect(imageRequest({ labels }, 'gemini-2.5-flash-image').body['labels']).toEqual(labels);
    const withLabels = toImages({ prompt: 'x', labels }, 'imagen-4', { surface: 'developer' });
    expect([withLabels.body['labels'], withLabels.dropped]).toMatchObject([undefined, [{ param: 'labels' }]]);
  });
});

const droppedParams = (body: JsonObject, model: string, api: 'vertex' | 'developer' = 'vertex') =>
  toImages({ prompt: 'p', ...body }, model, { surface: api }).dropped.map(({ param }) => param);

describe('parameters that toImages drops', () => {
  it.each<[string, JsonObject, onImagen: string[], onChat: string[]]>([
    ['a size that the model supports', { size: '1024x1024' }, [], []],
    ['a size that is replaced by an aspect ratio', { size: '1792x1024' }, ['size'], ['size']],
    ['a size with a supported ratio and other pixels', { size: '512x512' }, ['size'], ['size']],
    ['a size together with a size class', { size: '1024x1024', image_size: '2K' }, ['size'], ['size']],
    ['a size together with an aspect ratio', { size: '1024x1024', aspect_ratio: '16:9' }, ['size'], ['size']],
    ['an invalid size', { size: 'large' }, ['size'], ['size']],
    ['the value "auto"', { size: 'auto', quality: 'auto', background: 'auto', moderation: 'auto' }, [], []],
    ['a quality', { quality: 'high' }, ['quality'], ['quality']],
    ['the best quality without jpeg', { quality: 'hd' }, ['quality'], ['quality']],
    ['the best quality for png', { quality: 'hd', output_format: 'png' }, ['quality'], ['quality']],
    ['the best quality for jpeg', { quality: 'hd', output_format: 'jpeg' }, [], []],
    ['a quality together with a compression', { quality: 'hd', output_format: 'jpeg', output_compression: 50 }, ['quality'], ['quality']],
    ['a compression without jpeg', { output_compression: 50 }, ['output_compression'], ['output_compression']],
    ['a compression out of range', { output_format: 'jpeg', output_compression: 101 }, ['output_compression'], ['output_compression']],
    ['a format', { output_format: 'webp' }, ['output_format'], ['output_format']],
    ['a style', { style: 'vivid' }, ['style'], ['style']],
    ['a background', { background: 'transparent' }, ['background'], ['background']],
    ['a moderation', { moderation: 'low' }, ['moderation'], ['moderation']],
    ['a user', { user: 'u1' }, ['user'], ['user']],
    ['a stream, which the gateway writes itself', { stream: true, partial_images: 0 }, [], []],
    ['partial images', { stream: true, partial_images: 2 }, ['partial_images'], ['partial_images']],
    ['addresses', { response_format: 'url' }, ['response_format'], ['response_format']],
    ['URLs of stored images', { response_format: 'url', storage_uri: 'gs://b/' }, [], ['response_format', 'storage_uri']],
    ['images that are stored', { response_format: 'b64_json', storage_uri: 'gs://b/' }, ['response_format'], ['storage_uri']],
    ['too many images', { n: 9 }, ['n'], ['n']],
    ['an invalid number of images', { n: 0.5 }, ['n'], ['n']],
    ['invalid labels', { labels: 'x' }, ['labels'], ['labels']],
    ['settings of the other method', { negative_prompt: 'text', language: 'de' }, [], ['negative_prompt', 'language']],
    ['two spellings of one parameter', { aspect_ratio: '1:1', aspectRatio: '16:9' }, ['aspectRatio'], ['aspectRatio']],
    ['an unknown setting of the group', { image_config: { more: 1 } }, ['image_config.more'], []],
  ])('are reported: %s', (_name, body, onImagen, onChat) => {
    expect(droppedParams(body, 'imagen-4.0-generate-001').toSorted()).toEqual(onImagen.toSorted());
    expect(droppedParams(body, chatModel).toSorted()).toEqual(onChat.toSorted());
  });

  it('include those that only Vertex AI supports', () => {
    const body = {
      negative_prompt: 'text',
      seed: 7,
      add_watermark: true,
      enhance_prompt: true,
      storage_uri: 'gs://b/',
      labels: { a: 'b' },
    };
    expect(droppedParams(body, 'imagen-4', 'developer').toSorted()).toEqual(Object.keys(body).toSorted());
    expect(droppedParams({ output_format: 'jpeg', person_generation: 'allow_all' }, chatModel, 'developer').toSorted()).toEqual([
      'output_format',
      'person_generation',
    ]);
  });

  const value = fc.oneof(
    fc.constantFrom<unknown>('1792x1024', 'hd', 'high', 'url', 'jpeg', 'webp', 'vivid', '16:9', '2K', 'gs://b/'),
    fc.constantFrom<unknown>(0, 2, 3, 9, 50, 101, -1, 0.5, true, false),
    fc.constantFrom<unknown>({ a: 'b' }, ['x']),
  );
  const names =
    'n size quality style background output_format output_compression moderation response_format user stream partial_images seed labels aspect_ratio sampleImageSize negative_prompt person_generation safety_setting enhance_prompt language storage_uri image_output_options other'.split(
      ' ',
    );
  const requests = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), value), { selector: ([name]) => name, maxLength: 8 });

  it('are reported if they do not change the upstream request', () => {
    fc.assert(
      fc.property(
        requests,
        fc.constantFrom('imagen-4.0-generate-001', 'imagegeneration@006', chatModel),
        fc.constantFrom<'vertex' | 'developer'>('vertex', 'developer'),
        (members, model, api) => {
          const body: JsonObject = { prompt: 'p', ...Object.fromEntries(members) };
          const { dropped, ...sent } = toImages(body, model, { surface: api });
          for (const [name] of members) {
            if (dropped.some(({ param }) => param === name)) continue;
            // Stored images are returned as URLs without a parameter.
            if (name === 'response_format' && body[name] === 'url' && JSON.stringify(sent).includes('storageUri')) continue;
            // The gateway itself writes the stream, which needs no partial images.
            if ((name === 'stream' && typeof body[name] === 'boolean') || (name === 'partial_images' && body[name] === 0)) continue;
            // Both set the aspect ratio, here to the same value.
            if (['size', 'aspect_ratio'].includes(name) && 'size' in body && 'aspect_ratio' in body) continue;
            const { [name]: _, ...bodyWithout } = body;
            const { dropped: _others, ...requestWithout } = toImages(bodyWithout, model, { surface: api });
            expect({ name, sent: requestWithout }).not.toEqual({ name, sent });
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
