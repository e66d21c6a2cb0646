import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { json } from '../support/upstream.ts';
import type { Ask } from './ask.ts';
import { type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());
afterEach(() => {
  rig.cloud.interrupt = undefined;
});

const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 10, totalTokenCount: 13 };
const painted = (data: string): object => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] }, finishReason: 'STOP' }],
  usageMetadata,
});

/** Responds to each image request in turn; a number is a status. */
function paints(...answers: readonly (string | number)[]): Ask[] {
  const asked: Ask[] = [];
  rig.cloud.interrupt = (ask, response) => {
    if (!ask.path.endsWith(':generateContent')) return false;
    const answer = answers[asked.push(ask) - 1] ?? 500;
    if (typeof answer === 'string') json(response, 200, painted(answer));
    else json(response, answer, { error: { code: answer, message: 'no', status: 'INTERNAL' } });
    return true;
  };
  return asked;
}

const ask = (n: number) =>
  rig.fetch('/images/generations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gemini-2.5-flash-image', prompt: 'a lighthouse', size: '1024x1024', n }),
  });

it('images/generations calls a single-image model once per image', async () => {
  const asked = paints('AA==', 'BB==', 'CC==');
  const response = await ask(3);
  expect([response.status, response.headers.get('x-gateway-dropped-params'), asked.length]).toEqual([200, null, 3]);
  expect(await response.json()).toMatchObject({
    data: [{ b64_json: 'AA==' }, { b64_json: 'BB==' }, { b64_json: 'CC==' }],
    usage: { input_tokens: 9, output_tokens: 30, total_tokens: 39 },
  });
  expect(new Set(asked.map((one) => one.request.body.toString())).size).toBe(1);
  const record = await rig.gateway.record(response.headers.get('x-request-id'));
  expect(record.usage).toMatchObject({ prompt: 9, completion: 30 });
});

it('images/generations returns the images so far with a warning if a later one fails', async () => {
  paints('AA==', 503);
  const response = await ask(2);
  expect([response.status, response.headers.get('x-gateway-warnings')]).toEqual([200, expect.stringContaining('status 503')]);
  expect(await response.json()).toMatchObject({ data: [{ b64_json: 'AA==' }] });
});

it('images/generations returns the error of the first image', async () => {
  const asked = paints(500);
  expect([(await ask(2)).status, asked.length]).toEqual([500, 1]);
});

it('images/generations creates at most four images and reports n as dropped', async () => {
  const asked = paints('AA==', 'BB==', 'CC==', 'DD==', 'EE==');
  const response = await ask(6);
  expect([response.headers.get('x-gateway-dropped-params'), asked.length]).toEqual(['n', 4]);
});
