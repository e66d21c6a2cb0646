import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** Everything that the mock provider supports, over HTTP and with real libraries: nothing here leaves the machine. */

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startTestGateway(`
version: 1
providers: {mock: {type: mock, replies: {heard: {text: "Was ist das? 🧊"}}}}
virtual_keys: {vk: {provider: mock}}
`);
  client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'unused-0123456789',
    maxRetries: 0,
    defaultHeaders: { 'x-gateway-virtual-key': 'vk' },
  });
});
afterAll(() => gateway?.close());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until the state is reached: objects of the mock provider change within seconds. */
async function until<T>(poll: () => Promise<T>, isReady: (found: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const found = await poll();
    if (isReady(found)) return found;
    if (tries > 300) throw new Error(`waited in vain: ${JSON.stringify(found)}`);
    await sleep(300);
  }
}

describe('the mock provider with npm openai', () => {
  const upload = async (purpose: 'batch' | 'fine-tune', name = 'in.jsonl') =>
    client.files.create({ file: await toFile(Buffer.from('{"custom_id":"ü"}\n'.repeat(20)), name), purpose });

  it('uploads, reads, lists and deletes a file', async () => {
    const file = await upload('batch', 'übung.jsonl');
    expect(file).toMatchObject({ object: 'file', filename: 'übung.jsonl', purpose: 'batch', bytes: 380, status: 'processed' });
    expect(await client.files.retrieve(file.id)).toMatchObject({ id: file.id, bytes: 380 });
    expect(await (await client.files.content(file.id)).text()).toContain('request-1');
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    const listed: string[] = [];
    for await (const each of client.files.list({ limit: 2 })) listed.push(each.purpose);
    expect(listed).toEqual(['user_data', 'fine-tune', 'batch', 'assistants']);
  });

  it('creates, cancels and completes a batch', async () => {
    const file = await upload('batch');
    const batch = await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { a: 'b' },
    });
    expect(batch).toMatchObject({ object: 'batch', input_file_id: file.id, metadata: { a: 'b' } });
    expect(await client.batches.cancel(batch.id)).toMatchObject({ id: batch.id, status: 'cancelling' });
    const early = await fetch(`${gateway.url}/v1/batches/${batch.id}/output`, { headers: { 'x-gateway-virtual-key': 'vk' } });
    expect(early.status).toBe(409);
    const done = await until(
      () => client.batches.retrieve(batch.id),
      ({ status }) => status === 'completed',
    );
    expect(done.request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
    const text = await (await client.files.content(done.output_file_id ?? '')).text();
    const output = await fetch(`${gateway.url}/v1/batches/${batch.id}/output`, { headers: { 'x-gateway-virtual-key': 'vk' } });
    expect(output.headers.get('content-type')).toBe('application/jsonl');
    expect(await output.text()).toBe(text);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id),
    ).toEqual(['request-1', 'request-2', 'request-3']);
    const all: string[] = [];
    for await (const each of client.batches.list({ limit: 10 })) all.push(each.id);
    expect(new Set(all).size).toBe(25);
  });

  it('runs a fine-tuning job and lists all its checkpoints and events', async () => {
    const file = await upload('fine-tune');
    const job = await client.fineTuning.jobs.create({ model: 'echo', training_file: file.id, suffix: 'mine' });
    expect(job).toMatchObject({ object: 'fine_tuning.job', training_file: file.id, model: 'echo' });
    expect(await client.fineTuning.jobs.cancel(job.id)).toMatchObject({ id: job.id, status: 'cancelled' });
    await until(
      () => client.fineTuning.jobs.retrieve(job.id),
      ({ status }) => status === 'succeeded',
    );
    const steps: number[] = [];
    for await (const each of client.fineTuning.jobs.checkpoints.list(job.id, { limit: 5 })) steps.push(each.step_number);
    expect(steps).toEqual(Array.from({ length: 12 }, (_, index) => (12 - index) * 100));
    const events: string[] = [];
    for await (const each of client.fineTuning.jobs.listEvents(job.id)) events.push(each.message);
    expect([events[0], events.at(-1)]).toEqual(['The job has successfully completed', `Validating training file: ${file.id}`]);
    await expect(client.fineTuning.jobs.checkpoints.list(job.id, { limit: 0 })).rejects.toMatchObject({ status: 400, param: 'limit' });
    await expect(client.fineTuning.jobs.retrieve('ftjob-unknown')).rejects.toMatchObject({ status: 404, code: 'fine_tune_not_found' });
  });

  it('returns speech as WAV and MP3', async () => {
    const createSpeech = async (format: 'mp3' | 'wav') => {
      const speech = await client.audio.speech.create({ model: 'tts', voice: 'alloy', input: 'hi', response_format: format });
      return { type: speech.headers.get('content-type'), bytes: Buffer.from(await speech.arrayBuffer()) };
    };
    const wav = await createSpeech('wav');
    expect([wav.type, wav.bytes.toString('latin1', 0, 4), wav.bytes.readUInt32LE(4) + 8]).toEqual(['audio/wav', 'RIFF', wav.bytes.length]);
    const mp3 = await createSpeech('mp3');
    expect([mp3.type, mp3.bytes.readUInt32BE(0), mp3.bytes.length % 144]).toEqual(['audio/mpeg', 0xff_fb_18_c0, 0]);
  });

  it('returns transcriptions and translations', async () => {
    const file = await toFile(Buffer.alloc(300_000, 7), 'a.wav');
    const transcribe = (overrides: object) => client.audio.transcriptions.create({ model: 'heard', file, ...overrides });
    expect(await transcribe({})).toMatchObject({ text: 'Was ist das? 🧊' });
    expect(await transcribe({ response_format: 'text' })).toBe('Was ist das? 🧊\n');
    expect(await transcribe({ response_format: 'vtt' })).toMatch(/^WEBVTT\n/);
    expect(await transcribe({ response_format: 'verbose_json' })).toMatchObject({ segments: [{ text: 'Was ist das? 🧊' }] });
    expect(await client.audio.translations.create({ model: 'heard', file })).toMatchObject({ text: 'Was ist das? 🧊' });
    let text = '';
    for await (const event of await client.audio.transcriptions.create({ model: 'heard', file, stream: true })) {
      if (event.type === 'transcript.text.delta') text += event.delta;
    }
    expect(text).toBe('Was ist das? 🧊');
  });

  it('returns edited images and variations', async () => {
    const image = await toFile(Buffer.alloc(1000), 'a.png', { type: 'image/png' });
    const edited = await client.images.edit({ model: 'painter', image, prompt: 'a cat', n: 2 });
    expect(edited.data).toHaveLength(2);
    expect((await client.images.createVariation({ model: 'painter', image })).data?.[0]?.b64_json).toMatch(/^iVBOR/);
  });

  it('returns embeddings', async () => {
    const { data } = await client.embeddings.create({ model: 'echo', input: ['a', 'b'], dimensions: 4 });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([4, 4]);
  });
});

describe('the mock provider with npm @anthropic-ai/sdk', () => {
  const native = () =>
    new Anthropic({ baseURL: gateway.url, apiKey: 'unused-0123456789', maxRetries: 0, defaultHeaders: { 'x-gateway-virtual-key': 'vk' } });
  const body = { max_tokens: 9, messages: [{ role: 'user' as const, content: 'hello 🧊' }] };

  it('returns messages with and without streaming, and a token count', async () => {
    expect(await native().messages.create({ model: 'echo', ...body })).toMatchObject({ content: [{ type: 'text', text: 'hello 🧊' }] });
    expect(
      await native()
        .messages.stream({ model: 'heard', ...body })
        .finalText(),
    ).toBe('Was ist das? 🧊');
    expect(await native().messages.countTokens({ model: 'echo', messages: body.messages })).toEqual({ input_tokens: 2 });
  });

  it('returns errors of the Messages API', async () => {
    await expect(native().messages.create({ model: 'rate-limited', ...body })).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    await expect(native().messages.create({ model: 'echo', max_tokens: 9, messages: [] })).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    );
  });
});

describe('the mock provider rejects', () => {
  const post = (path: string, body: string | FormData, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    fetch(`${gateway.url}/v1/${path}`, { method: 'POST', headers: { 'x-gateway-virtual-key': 'vk', ...headers }, body });
  const form = (fields: Record<string, string | Blob>): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  };
  const file = new Blob(['x']);

  it.each([
    ['chat/completions', '{"model":"echo"}', 'messages'],
    ['chat/completions', '{"model":"echo","messages":[7]}', 'messages[0]'],
    ['chat/completions', '{"messages":[{"role":"user","content":"x"}]}', 'model'],
    ['embeddings', '{"model":"echo","input":{}}', 'input'],
    ['responses', '{"model":"echo","input":true}', 'input'],
    ['batches', '{"input_file_id":"file-1"}', 'endpoint'],
    ['fine_tuning/jobs', '{"model":"echo"}', 'training_file'],
    ['files', form({ purpose: 'batch' }), 'file'],
    ['files', form({ file }), 'purpose'],
    ['files', form({ file, purpose: 'fun' }), 'purpose'],
    ['audio/transcriptions', form({ model: 'echo' }), 'file'],
    ['audio/transcriptions', form({ file }), 'model'],
    ['audio/transcriptions', form({ file, model: 'echo', response_format: 'xml' }), 'response_format'],
    ['images/edits', form({ image: file, model: 'echo' }), 'prompt'],
    ['images/edits', form({ prompt: 'a', model: 'echo' }), 'image'],
  ])('POST /v1/%s with an invalid body, and names the parameter (%#)', async (path, body, param) => {
    const response = await (typeof body === 'string' ? post(path, body) : post(path, body, {}));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });

  it.each([
    'batches/x',
    'batches/x/output',
    'fine_tuning/jobs/x',
    'fine_tuning/jobs/x/events',
    'fine_tuning/jobs/x/checkpoints',
    'files/x',
    'files/x/content',
  ])('GET /v1/%s with 404', async (path) => {
    const response = await fetch(`${gateway.url}/v1/${path}`, { headers: { 'x-gateway-virtual-key': 'vk' } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('x') as string },
    });
  });
});
