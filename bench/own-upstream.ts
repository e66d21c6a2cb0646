import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pacing } from './result.ts';

/** A small upstream for machines without the Go tools: `node bench/own-upstream.ts PORT`. Chat completions, whole and streamed. */
const head = { id: 'chatcmpl-mock', created: 1_700_000_000, system_fingerprint: 'fp_mock' };
const whole = { ...head, object: 'chat.completion' };
const text = 'lorem ipsum dolor sit amet '.repeat(26).slice(0, 700);

const event = (model: unknown, delta: object, reason: string | null): string => {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }];
  return `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', model, choices })}\n\n`;
};

function answer(body: { readonly model?: unknown; readonly stream?: unknown }, response: ServerResponse): void {
  if (body.stream === true) return stream(body.model, response);
  const choices = [{ index: 0, message: { role: 'assistant', content: text }, logprobs: null, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 200, completion_tokens: 175, total_tokens: 375 };
  const bytes = Buffer.from(JSON.stringify({ ...whole, model: body.model, choices, usage }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
}

function stream(model: unknown, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event(model, { role: 'assistant', content: '' }, null));
  let left = pacing.chunks;
  const timer = setInterval(() => {
    if (left-- > 0) return response.write(event(model, { content: 'psum dolor s' }, null));
    clearInterval(timer);
    return response.end(`${event(model, {}, 'stop')}data: [DONE]\n\n`);
  }, pacing.delayMs);
  response.on('close', () => clearInterval(timer));
}

createServer({ keepAliveTimeout: 600_000 }, (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString() || '{}') as object, response));
}).listen(Number(process.argv[2]), '127.0.0.1');
