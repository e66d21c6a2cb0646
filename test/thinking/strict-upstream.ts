import type { ServerResponse } from 'node:http';
import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';

type Json = Record<string, unknown>;

/** One response of the provider: blocks in order. */
const responses = {
  one: [
    { type: 'thinking', thinking: 'Wo ist Oslo? 🧊\n"dort"', signature: 'EqoBCkgIARABGAIiQL8+/one==' },
    { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/==' },
    { type: 'text', text: 'Ich sehe nach.' },
    { type: 'tool_use', id: 'toolu_a', name: 'weather', input: { city: 'Oslo' } },
    { type: 'thinking', thinking: 'Und Bergen?', signature: 'EqoBCkgIARABGAIiQL8+/two==' },
    { type: 'tool_use', id: 'toolu_b', name: 'weather', input: { city: 'Bergen' } },
  ],
  two: [
    { type: 'thinking', thinking: 'Noch einmal.', signature: 'EqoBCkgIARABGAIiQL8+/three==' },
    { type: 'tool_use', id: 'toolu_c', name: 'weather', input: {} },
  ],
  last: [
    { type: 'thinking', thinking: 'Fertig.', signature: 'EqoBCkgIARABGAIiQL8+/four==' },
    { type: 'text', text: 'Kalt.' },
  ],
} as const satisfies Record<string, readonly Json[]>;

/** The blocks that the provider sent, which its history must contain again. */
export const sentBlocks: { readonly [answer in keyof typeof responses]: readonly Json[] } = responses;

/**
 * A service in Anthropic's format that thinks through a loop of tool calls and refuses a history without its own,
 * unchanged thoughts while thinking is on, as Anthropic does.
 */
export const startThinker = (): Promise<ScriptedUpstream> => startUpstream(respond);

function respond(response: ServerResponse, request: SeenRequest): void {
  const body = JSON.parse(request.body.toString()) as { stream?: boolean; thinking?: Json; messages: { role: string; content: unknown }[] };
  const isThinking = body.thinking !== undefined && body.thinking['type'] !== 'disabled';
  const turns = body.messages.filter(({ role }) => role === 'assistant');
  const problem = isThinking ? problemOf(turns.at(-1)?.content, turns.length) : undefined;
  if (problem !== undefined) {
    json(response, 400, { type: 'error', error: { type: 'invalid_request_error', message: problem } });
    return;
  }
  const next = turns.length === 0 ? responses.one : turns.length === 1 ? responses.two : responses.last;
  const content = isThinking ? next : next.filter((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking');
  if (body.stream === true) inPieces(response, events(content).join(''));
  else json(response, 200, message(content));
}

/** Split inside lines, events and characters. */
function inPieces(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 11) response.write(bytes.subarray(at, at + 11));
  response.end();
}

function problemOf(content: unknown, turns: number): string | undefined {
  if (turns === 0) return undefined;
  const blocks = Array.isArray(content) ? (content as Json[]) : [];
  const first = String(blocks[0]?.['type']);
  const where = `messages.${2 * turns - 1}.content.0.type`;
  if (!first.endsWith('thinking'))
    return `${where}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`;
  const expected = turns === 1 ? responses.one : responses.two;
  const thoughts = (list: readonly Json[]): string => JSON.stringify(list.filter((block) => String(block['type']).endsWith('thinking')));
  return thoughts(blocks) === thoughts(expected)
    ? undefined
    : `${where}: \`thinking\` blocks in the latest assistant message cannot be modified`;
}

const message = (content: readonly Json[]): Json => ({
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content,
  stop_reason: content.some((block) => block['type'] === 'tool_use') ? 'tool_use' : 'end_turn',
  usage: { input_tokens: 10, output_tokens: 20 },
});

const sseEvent = (event: Json): string => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;

function events(content: readonly Json[]): string[] {
  const completeMessage = message(content);
  return [
    sseEvent({ type: 'message_start', message: { ...completeMessage, content: [], stop_reason: null } }),
    ...content.flatMap((block, index) => [
      sseEvent({ type: 'content_block_start', index, content_block: emptied(block) }),
      ...deltas(block).map((delta) => sseEvent({ type: 'content_block_delta', index, delta })),
      sseEvent({ type: 'content_block_stop', index }),
    ]),
    sseEvent({ type: 'message_delta', delta: { stop_reason: completeMessage['stop_reason'] }, usage: { output_tokens: 20 } }),
    sseEvent({ type: 'message_stop' }),
  ];
}

function emptied(block: Json): Json {
  if (block['type'] === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (block['type'] === 'text') return { type: 'text', text: '' };
  return block['type'] === 'tool_use' ? { ...block, input: {} } : block;
}

function deltas(block: Json): Json[] {
  const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];
  switch (block['type']) {
    case 'thinking':
      return [
        ...halves(String(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking })),
        ...halves(String(block['signature'])).map((signature) => ({ type: 'signature_delta', signature })),
      ];
    case 'text':
      return halves(String(block['text'])).map((text) => ({ type: 'text_delta', text }));
    case 'tool_use':
      return halves(JSON.stringify(block['input'])).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    default:
      return [];
  }
}
