import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plain } from '../../../core/json/merge.ts';
import { toImages } from './request.ts';

const made = (body: Plain, model = 'imagen-4.0-generate-001') => toImages({ prompt: 'a lighthouse', ...body }, model, 'vertex');
const parameters = (body: Plain): unknown => made(body).body['parameters'];
const chatModel = 'gemini-2.5-flash-image';

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
    [
      'a compression, which counts more than the quality',
      { output_format: 'jpeg', output_compression: 70, quality: 'hd' },
      { sampleCount: 1, outputOptions: { mimeType: 'image/jpeg', compressionQuality: 70 } },
    ],
    ['as many as the model makes', { n: 9 }, { sampleCount: 4 }],
    [
      'settings of the chat models',
      { image_config: { aspect_ratio: '9:16', imageSize: '2K' } },
      { sampleCount: 1, aspectRatio: '9:16', sampleImageSize: '2K' },
    ],
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

const named = (body: Plain, model: string, surface: 'vertex' | 'developer' = 'vertex') =>
  toImages({ prompt: 'p', ...body }, model, surface).dropped.map(({ param }) => param);

describe('what the upstream request does not have is named', () => {
  it.each<[string, Plain, onImagen: string[], onChat: string[]]>([
    ['a size as it is made', { size: '1024x1024' }, [], []],
    ['a size that becomes a ratio', { size: '1792x1024' }, ['size'], ['size']],
    ['a size of the ratio with other pixels', { size: '512x512' }, ['size'], ['size']],
    ['a size beside a size class', { size: '1024x1024', image_size: '2K' }, ['size'], ['size']],
    ['a size beside a ratio', { size: '1024x1024', aspect_ratio: '16:9' }, ['size'], ['size']],
    ['a size that is none', { size: 'large' }, ['size'], ['size']],
    ['the choice of the model', { size: 'auto', quality: 'auto', background: 'auto', moderation: 'auto' }, [], []],
    ['a quality', { quality: 'high' }, ['quality'], ['quality']],
    ['the best quality without jpeg', { quality: 'hd' }, ['quality'], ['quality']],
    ['the best quality for png', { quality: 'hd', output_format: 'png' }, ['quality'], ['quality']],
    ['the best quality for jpeg', { quality: 'hd', output_format: 'jpeg' }, [], []],
    ['a quality beside a compression', { quality: 'hd', output_format: 'jpeg', output_compression: 50 }, ['quality'], ['quality']],
    ['a compression without jpeg', { output_compression: 50 }, ['output_compression'], ['output_compression']],
    ['a compression out of range', { output_format: 'jpeg', output_compression: 101 }, ['output_compression'], ['output_compression']],
    ['a format', { output_format: 'webp' }, ['output_format'], ['output_format']],
    ['a style', { style: 'vivid' }, ['style'], ['style']],
    ['a background', { background: 'transparent' }, ['background'], ['background']],
    ['a moderation', { moderation: 'low' }, ['moderation'], ['moderation']],
    ['a user', { user: 'u1' }, ['user'], ['user']],
    ['a stream, which the whole answer is written as', { stream: true, partial_images: 0 }, [], []],
    ['partial images', { stream: true, partial_images: 2 }, ['partial_images'], ['partial_images']],
    ['addresses', { response_format: 'url' }, ['response_format'], ['response_format']],
    ['addresses of stored images', { response_format: 'url', storage_uri: 'gs://b/' }, [], ['response_format', 'storage_uri']],
    ['images that are stored', { response_format: 'b64_json', storage_uri: 'gs://b/' }, ['response_format'], ['storage_uri']],
    ['too many', { n: 9 }, ['n'], ['n']],
    ['no number of images', { n: 0.5 }, ['n'], ['n']],
    ['labels that are none', { labels: 'x' }, ['labels'], ['labels']],
    ['settings of the other method', { negative_prompt: 'text', language: 'de' }, [], ['negative_prompt', 'language']],
    ['two spellings of one', { aspect_ratio: '1:1', aspectRatio: '16:9' }, ['aspectRatio'], ['aspectRatio']],
    ['an unknown setting of the group', { image_config: { more: 1 } }, ['image_config.more'], []],
  ])('%s', (_name, body, onImagen, onChat) => {
    expect(named(body, 'imagen-4.0-generate-001').toSorted()).toEqual(onImagen.toSorted());
    expect(named(body, chatModel).toSorted()).toEqual(onChat.toSorted());
  });

  it('names what only Vertex AI has', () => {
    const body = {
      negative_prompt: 'text',
      seed: 7,
      add_watermark: true,
      enhance_prompt: true,
      storage_uri: 'gs://b/',
      labels: { a: 'b' },
    };
    expect(named(body, 'imagen-4', 'developer').toSorted()).toEqual(Object.keys(body).toSorted());
    expect(named({ output_format: 'jpeg', person_generation: 'allow_all' }, chatModel, 'developer').toSorted()).toEqual([
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

  it('each member changes the upstream request, or is named', () => {
    fc.assert(
      fc.property(
        requests,
        fc.constantFrom('imagen-4.0-generate-001', 'imagegeneration@006', chatModel),
        fc.constantFrom<'vertex' | 'developer'>('vertex', 'developer'),
        (members, model, surface) => {
          const body: Plain = { prompt: 'p', ...Object.fromEntries(members) };
          const { dropped, ...sent } = toImages(body, model, surface);
          for (const [name] of members) {
            if (dropped.some(({ param }) => param === name)) continue;
            // Stored images come as addresses without a setting.
            if (name === 'response_format' && body[name] === 'url' && JSON.stringify(sent).includes('storageUri')) continue;
            // The answer is written as a stream, which needs no partial images.
            if ((name === 'stream' && typeof body[name] === 'boolean') || (name === 'partial_images' && body[name] === 0)) continue;
            // Both say the shape of the picture, here the same one.
            if (['size', 'aspect_ratio'].includes(name) && 'size' in body && 'aspect_ratio' in body) continue;
            const { [name]: _, ...without } = body;
            const { dropped: _others, ...other } = toImages(without, model, surface);
            expect({ name, sent: other }).not.toEqual({ name, sent });
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
