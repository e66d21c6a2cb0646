import type { ServerResponse } from 'node:http';
import { json, sse } from '../support/upstream.ts';
import type { ParsedRequest } from './serve.ts';

/** Bytes that are not text in any encoding. */
const sound = Buffer.from([0xff, 0xfb, 0x90, 0x00, 0xc3, 0x28, 0x0d, 0x0a, 0x00, 0x01]);
const subtitles = '1\n00:00:00,000 --> 00:00:01,000\nGrüße\n';

const tokens = {
  type: 'tokens',
  input_tokens: 14,
  input_token_details: { text_tokens: 0, audio_tokens: 14 },
  output_tokens: 3,
  total_tokens: 17,
};
const transcriptUsage = { input_tokens: 4, output_tokens: 9, total_tokens: 13 };

/**
 * Speech, transcriptions and pictures. False for other paths. Where the deployment is in the path it decides; otherwise
 * the model does, and another one is refused.
 */
export function mediaOf(response: ServerResponse, request: ParsedRequest, model: string, deployment?: string): boolean {
  const route = request.parts.join('/');
  if (request.method !== 'POST' || !/^(?:audio|images)\//.test(route)) return false;
  const isForm = request.contentType.startsWith('multipart/form-data');
  void (isForm ? formOf(request) : Promise.resolve(JSON.parse(request.body.toString('utf8')) as Record<string, unknown>)).then((fields) => {
    const modelName = deployment ?? fields['model'];
    if (modelName !== model || String(fields['model']).startsWith('@')) {
      json(response, 404, {
        error: { code: 'DeploymentNotFound', message: `No ${String(modelName)} here.`, type: 'invalid_request_error', param: 'model' },
      });
    } else respond(response, route, fields);
  });
  return true;
}

async function formOf({ body, contentType }: ParsedRequest): Promise<Record<string, unknown>> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const fields: Record<string, unknown> = {};
  for (const [name, value] of form) fields[name] = value instanceof File ? Buffer.from(await value.arrayBuffer()) : value;
  return fields;
}

function respond(response: ServerResponse, route: string, fields: Record<string, unknown>): void {
  const file = fields['file'] ?? fields['image'];
  const isWhole = file instanceof Buffer && file.equals(sound);
  if (route === 'audio/speech') speech(response, fields);
  else if (!isWhole)
    json(response, 400, {
      error: { message: 'The file did not arrive whole.', type: 'invalid_request_error', param: 'file', code: 'bad_file' },
    });
  else if (route.startsWith('images/'))
    json(response, 200, { created: 1, data: [{ b64_json: sound.toString('base64') }], usage: transcriptUsage });
  else transcript(response, fields);
}

function speech(response: ServerResponse, fields: Record<string, unknown>): void {
  if (fields['stream_format'] === 'sse') {
    const delta = JSON.stringify({ type: 'speech.audio.delta', audio: sound.toString('base64') });
    sse(response, [`data: ${delta}\n\n`, `data: ${JSON.stringify({ type: 'speech.audio.done', usage: transcriptUsage })}\n\n`]);
    return;
  }
  response.writeHead(200, { 'content-type': 'audio/mpeg' });
  response.write(sound.subarray(0, 3));
  response.end(sound.subarray(3));
}

function transcript(response: ServerResponse, fields: Record<string, unknown>): void {
  const format = fields['response_format'] ?? 'json';
  if (fields['stream'] === 'true') {
    const delta = JSON.stringify({ type: 'transcript.text.delta', delta: 'Grüße' });
    sse(response, [`data: ${delta}\n\n`, `data: ${JSON.stringify({ type: 'transcript.text.done', text: 'Grüße', usage: tokens })}\n\n`]);
  } else if (format === 'json') json(response, 200, { text: 'Grüße', usage: tokens });
  else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(format === 'srt' ? subtitles : 'Grüße\n');
}
