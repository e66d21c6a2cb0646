import type { ServerResponse } from 'node:http';
import { json, type ScriptedUpstream, type SeenRequest, sse, startUpstream } from '../support/upstream.ts';

/** Thoughts and a signature with characters that an inexact copy would change. */
export const thoughts = { type: 'thinking', thinking: 'Wo ist Oslo? 🧊\n\t"dort"\\', signature: 'EqoBCkgIARABGAIiQL8+/zz0==' };
export const redacted = { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/==' };
export const call = { type: 'tool_use', id: 'toolu_01', name: 'weather', input: { city: 'Oslo', big: 1 } };

/** A message with thinking and a call, or only text if the request contains the result of the call. */
export function message(model: string, isSecond: boolean): Record<string, unknown> {
  return {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model,
    content: isSecond ? [{ type: 'text', text: 'Kalt: −4 °C 🥶' }] : [thoughts, redacted, { type: 'text', text: 'Ich sehe nach.' }, call],
    stop_reason: isSecond ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 20 },
  };
}

/** The same message as events, with each text in two deltas. */
export function events(model: string, isSecond: boolean): string[] {
  const completeMessage = message(model, isSecond);
  const out = [
    sseEvent({
      type: 'message_start',
      message: { ...completeMessage, content: [], stop_reason: null, usage: { ...(completeMessage['usage'] as object), output_tokens: 1 } },
    }),
    sseEvent({ type: 'ping' }),
  ];
  for (const [index, block] of (completeMessage['content'] as Record<string, unknown>[]).entries()) {
    out.push(sseEvent({ type: 'content_block_start', index, content_block: emptied(block) }));
    for (const delta of deltasOf(block)) out.push(sseEvent({ type: 'content_block_delta', index, delta }));
    out.push(sseEvent({ type: 'content_block_stop', index }));
  }
  out.push(
    sseEvent({
      type: 'message_delta',
      delta: { stop_reason: completeMessage['stop_reason'], stop_sequence: null },
      usage: { output_tokens: 20 },
    }),
    sseEvent({ type: 'message_stop' }),
  );
  return out;
}

const sseEvent = (event: { readonly type: string; readonly [member: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function emptied(block: Record<string, unknown>): Record<string, unknown> {
  if (block['type'] === 'text') return { type: 'text', text: '' };
  if (block['type'] === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block['type'] === 'tool_use' ? { ...block, input: {} } : block;
}

function deltasOf(block: Record<string, unknown>): Record<string, unknown>[] {
  const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];
  if (block['type'] === 'text') return halves(String(block['text'])).map((text) => ({ type: 'text_delta', text }));
  if (block['type'] === 'tool_use')
    return halves(JSON.stringify(block['input'])).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  if (block['type'] !== 'thinking') return [];
  return [
    ...halves(String(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: block['signature'] },
  ];
}

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

/** A provider whose behaviour depends on the requested model. */
export const startAnthropic = (): Promise<ScriptedUpstream> => startUpstream((response, request) => respond(response, request));

async function respond(response: ServerResponse, request: SeenRequest): Promise<void> {
  const body = JSON.parse(request.body.toString()) as { model: string; stream?: boolean; messages: { content: unknown }[] };
  const { model } = body;
  const isSecond = JSON.stringify(body.messages).includes('"tool_result"');
  if (request.url.startsWith('/v1/messages/count_tokens')) return json(response, 200, { input_tokens: 17 });
  if (model === 'm-limit') {
    return json(
      response,
      429,
      { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' }, request_id: 'req_up' },
      { 'retry-after': '7', 'request-id': 'req_up' },
    );
  }
  if (model === 'm-refuse')
    return json(response, 400, {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'max_tokens: too large' },
      request_id: 'req_up',
    });
  if (body.stream !== true) return json(response, 200, message(model, isSecond));
  if (model === 'm-endless') {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of events('m', true).slice(0, 4)) response.write(event);
    return;
  }
  if (model === 'm-breaks') return sse(response, [...events(model, true).slice(0, 5), sseEvent(overloaded)]);
  if (model === 'm-cut') return sse(response, events(model, true).slice(0, 5));
  return sse(response, events(model, isSecond));
}
