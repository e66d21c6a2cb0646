import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { respondWithJson, formOf, type Origin, type PartText, send, startOrigin } from './rig.ts';

/** Forms of `/v1/images/edits` for providers that accept JSON. */

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAA/+4=', 'base64');
const jpeg = Buffer.from('/9j/4AAQSkZJRgABAQAAAQ==', 'base64');
/** Larger than one read of a connection. */
const webp = Buffer.from('UklGRhIAAABXRUJQVlA4TAYA', 'base64');
const long = Buffer.concat([png, Buffer.alloc(300_000)]);
const pngUri = `data:image/png;base64,${png.toString('base64')}`;
const jpegUri = `data:image/jpeg;base64,${jpeg.toString('base64')}`;
const inline = (uri: string): object => ({
  inlineData: { mimeType: uri.slice(5, uri.indexOf(';')), data: uri.slice(uri.indexOf(',') + 1) },
});
const part = (name: string, value: string): PartText => ({ name, value });
const file = (name: string, value: Buffer, more: Partial<PartText> = {}): PartText => ({ name, value, filename: 'a.png', ...more });
const gemini = 'gemini-2.5-flash-image';

let origin: Origin;
let gateway: TestGateway;

beforeAll(async () => {
  origin = await startOrigin();
  const custom_host = origin.url;
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory', max_body: '1MB', egress: { allow: ['127.0.0.1'] } },
      providers: {
        g: { type: 'gemini', api_key: 'AIza-key-of-provider-g-0123456789', custom_host },
        v: { type: 'vertex-ai', region: 'global', project: 'p', custom_host, auth: { mode: 'caller' } },
        x: { type: 'xai', api_key: 'xai-key-of-provider-x-0123456789', custom_host: `${custom_host}/v1` },
        o: { type: 'openai', api_key: 'sk-key-of-provider-o-0123456789', custom_host: `${custom_host}/v1` },
      },
      configs: {
        first: {
          strategy: { mode: 'fallback' },
          targets: [{ provider: 'g' }, { provider: 'o', override_params: { model: 'gpt-image-1' } }],
        },
        twice: { provider: 'g', retry: { attempts: 2, on_status_codes: [503] }, override_params: { aspect_ratio: '21:9', seed: 3 } },
      },
    }),
  );
});
beforeEach(() => {
  origin.received.length = 0;
  origin.reply = (response, { url }) =>
    respondWithJson(
      response,
      200,
      url.startsWith('/v1/images')
        ? { created: 5, data: [{ b64_json: 'QUJD' }] }
        : {
            candidates: [
              { content: { parts: [{ text: 'Here' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }] }, finishReason: 'STOP' },
            ],
            usageMetadata: { promptTokenCount: 300, candidatesTokenCount: 1290, totalTokenCount: 1590 },
          },
    );
});
afterAll(async () => {
  await gateway.close();
  await origin.close();
});

/** Splits at each position in turn, so that each byte begins a chunk in some request. */
function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const sendEdit = (parts: readonly PartText[], headers: Record<string, string>, size = 7) =>
  send(gateway, { path: '/v1/images/edits', headers, body: chunksOf(formOf(parts), size) });
const at = (provider: string): Record<string, string> => ({ 'x-gateway-provider': `@${provider}`, authorization: 'Bearer ya29.token' });
const sent = (index = 0): unknown => JSON.parse(origin.received[index]?.body.toString() ?? 'null');
const generated = (...parts: object[]): object => ({
  contents: [{ role: 'user', parts }],
  generationConfig: { responseModalities: ['TEXT', 'IMAGE'] },
});

describe('a form of /v1/images/edits as JSON', () => {
  it.each<[string, string, PartText[], object, (string | null)?]>([
    [
      'Gemini: the image, then the prompt',
      'g',
      [part('model', gemini), file('image', png), part('prompt', 'Größe')],
      generated(inline(pngUri), { text: 'Größe' }),
    ],
    [
      'Gemini: several images in their order',
      'g',
      [part('model', gemini), file('image[]', png), part('prompt', 'p'), file('image[]', jpeg, { type: 'application/octet-stream' })],
      generated(inline(pngUri), inline(jpegUri), { text: 'p' }),
    ],
    [
      'Gemini: what it has in other words, and what it lacks',
      'g',
      [
        file('image', webp, { type: 'image/webp; a=b' }),
        part('prompt', 'p'),
        part('size', '1536x1024'),
        part('input_fidelity', 'high'),
        part('response_format', 'b64_json'),
        part('image_config[imageSize]', '2K'),
        part('model', gemini),
      ],
      {
        ...generated({ inlineData: { mimeType: 'image/webp', data: webp.toString('base64') } }, { text: 'p' }),
        generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '3:2', imageSize: '2K' } },
      },
      'size, input_fidelity',
    ],
    [
      'Gemini: an input in which no file was chosen',
      'g',
      [part('model', gemini), file('image', png), file('mask', Buffer.alloc(0), { filename: '' }), part('prompt', 'p')],
      generated(inline(pngUri), { text: 'p' }),
    ],
    [
      'Vertex AI',
      'v',
      [part('model', gemini), file('image', jpeg), part('prompt', 'p'), part('image', 'gs://b/a.png')],
      generated(inline(jpegUri), { fileData: { mimeType: 'image/png', fileUri: 'gs://b/a.png' } }, { text: 'p' }),
    ],
    [
      'xAI: one image',
      'x',
      [part('model', 'grok-imagine-image'), file('image', png), part('prompt', 'p'), part('n', '2'), part('size', '1024x1024')],
      { model: 'grok-imagine-image', prompt: 'p', n: 2, image: { type: 'image_url', url: pngUri } },
      'size',
    ],
    [
      'xAI: several, and a mask',
      'x',
      [part('model', 'grok-imagine-image'), file('image[0]', png), file('image[1]', jpeg), file('mask', png), part('prompt', 'p')],
      {
        model: 'grok-imagine-image',
        prompt: 'p',
        images: [
          { type: 'image_url', url: pngUri },
          { type: 'image_url', url: jpegUri },
        ],
        mask: { type: 'image_url', url: pngUri },
      },
    ],
  ])('is converted: %s', async (_name, provider, parts, body, dropped = null) => {
    for (const size of [1, 7, 4096]) {
      origin.received.length = 0;
      const { status, headers, text } = await sendEdit(parts, at(provider), size);
      expect([status, JSON.parse(text)]).toMatchObject([200, { data: [{ b64_json: 'QUJD' }] }]);
      expect([sent(), origin.received[0]?.headers['content-type']]).toEqual([body, 'application/json']);
      expect(headers['x-gateway-dropped-params'] ?? null).toBe(dropped);
    }
  });

  it.each([
    ['before', [part('stream', 'true'), file('image', long)]],
    ['after', [file('image', long), part('stream', 'true')]],
  ])('returns one event for each image if stream is set %s the image', async (_where, fields) => {
    const parts = [part('model', gemini), part('n', '2'), ...fields, part('prompt', 'p')];
    const { headers, text } = await sendEdit(parts, at('g'), 16384);
    const events = text.split('\n\n').flatMap((one) => /^event: (.*)\ndata: (.*)$/.exec(one)?.slice(1, 3) ?? []);
    expect(events.map((one) => (one.startsWith('{') ? (JSON.parse(one) as unknown) : one))).toMatchObject([
      'image_edit.completed',
      { type: 'image_edit.completed', b64_json: 'QUJD' },
      'image_edit.completed',
      { type: 'image_edit.completed', b64_json: 'QUJD', usage: { input_tokens: 600, output_tokens: 2580 } },
    ]);
    expect([origin.received.length, headers['x-gateway-dropped-params']]).toEqual([2, undefined]);
    expect(headers['x-gateway-warnings']).toContain('does not stream this route');
    expect(await gateway.record(headers['x-request-id'] as string)).toMatchObject({ usage: { prompt: 600, completion: 2580 } });
  });

  it('is sent again after an error, with the overrides of the config', async () => {
    const { reply } = origin;
    origin.reply = (response, received) =>
      origin.received.length < 2 ? respondWithJson(response, 503, { error: { message: 'later' } }) : reply(response, received);
    const { status } = await sendEdit([part('model', gemini), file('image', png), part('prompt', 'p')], {
      'x-gateway-provider': '',
      'x-gateway-config': 'twice',
    });
    expect([status, origin.received.length]).toEqual([200, 2]);
    expect(sent(1)).toEqual(sent(0));
    expect(sent(1)).toMatchObject({ generationConfig: { seed: 3, imageConfig: { aspectRatio: '21:9' } } });
  });

  it("is sent with the model of the deployment path instead of the form's model", async () => {
    const parts = [part('model', 'other'), file('image', png), part('prompt', 'p')];
    const path = `/openai/deployments/${gemini}/images/edits?api-version=2025-04-01-preview`;
    const { status } = await send(gateway, { path, headers: at('g'), body: chunksOf(formOf(parts), 7) });
    expect([status, origin.received[0]?.url]).toEqual([200, `/v1beta/models/${gemini}:generateContent`]);
    expect(sent()).toEqual(generated(inline(pngUri), { text: 'p' }));
  });

  it('is sent as a form if the first target does not support it and the next one does', async () => {
    const parts = [part('model', gemini), file('image', png), file('mask', png), part('prompt', 'p')];
    const { status } = await sendEdit(parts, { 'x-gateway-provider': '', 'x-gateway-config': 'first' });
    expect([status, origin.received.length, origin.received[0]?.headers['content-type']]).toMatchObject([200, 1, /^multipart\/form-data/]);
    expect(origin.received[0]?.body.toString('latin1')).toContain('gpt-image-1');
  });
});

describe('an edit that cannot be converted is rejected before a request is sent', () => {
  const image = file('image', png);
  const prompt = part('prompt', 'p');
  it.each<[string, PartText[], number, object]>([
    ['a mask', [part('model', gemini), image, file('mask', png), prompt], 400, { param: 'mask', code: 'unsupported_parameter' }],
    ['no image', [part('model', gemini), prompt], 400, { param: 'image', code: 'missing_required_parameter' }],
    ['no prompt', [part('model', gemini), image], 400, { param: 'prompt', code: 'missing_required_parameter' }],
    [
      'a file that is not an image',
      [part('model', gemini), file('image', Buffer.from('%PDF-1'), { filename: 'a.pdf' }), prompt],
      400,
      { param: 'images[0]' },
    ],
    ['a file in another field', [part('model', gemini), image, file('photo', png), prompt], 400, { param: 'photo' }],
    ['a model without edits', [part('model', 'imagen-4.0-generate-001'), image, prompt], 400, { code: 'unsupported_endpoint' }],
    [
      'a form that is too large to buffer',
      [part('model', gemini), file('image', Buffer.alloc(2 ** 20, 1)), prompt],
      413,
      { code: 'body_too_large' },
    ],
  ])('%s', async (_name, parts, status, error) => {
    const response = await sendEdit(parts, at('g'), 16384);
    expect([response.status, JSON.parse(response.text)]).toMatchObject([status, { error }]);
    expect(origin.received).toEqual([]);
  });
});

it('JSON of /v1/images/edits is converted too, and files by URL are downloaded', async () => {
  const { reply } = origin;
  origin.reply = (response, received) =>
    received.method === 'GET' ? void response.writeHead(200, { 'content-type': 'image/png' }).end(png) : reply(response, received);
  const body = { model: gemini, prompt: 'p', images: [{ image_url: jpegUri }, { image_url: `${origin.url}/a.png` }] };
  const { status } = await send(gateway, {
    path: '/v1/images/edits',
    headers: { ...at('g'), 'content-type': 'application/json' },
    body: [Buffer.from(JSON.stringify(body))],
  });
  expect(status).toBe(200);
  expect(sent(1)).toEqual(generated(inline(jpegUri), inline(pngUri), { text: 'p' }));
});
