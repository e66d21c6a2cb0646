import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { framesOf, type Json } from '../contract/gemini-oracle.ts';

/**
 * Both forms of one recorded answer. Services were recorded in one of them; the other is made by the rules of their
 * formats, without anything of the gateway.
 */
export interface BothForms {
  readonly whole: string;
  /** The text of the stream. */
  readonly stream: string;
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Characters of a text in up to `count` pieces; no character is cut. */
function splitText(text: string, count: number): string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / count));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) => characters.slice(at * size, (at + 1) * size).join(''));
}

// ---- Messages (Anthropic API, "Streaming messages") -------------------------------------------------

export function messageForms(body: string, isStream: boolean): BothForms {
  if (isStream) return { whole: JSON.stringify(messageOf(eventsOf(body))), stream: body };
  const stream = messageEvents(JSON.parse(body) as Message)
    .map((event) => `event: ${event['type'] as string}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
  return { whole: body, stream };
}

const eventsOf = (body: string): Json[] =>
  body
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)) as Json);

/** What the vendor's library puts together of the events, with what it leaves out: types that are newer than it. */
function messageOf(events: readonly Json[]): Json {
  const blocks: Json[] = [];
  const inputs = new Map<number, string>();
  let message: Json = {};
  for (const event of events as unknown as RawMessageStreamEvent[]) {
    if (event.type === 'message_start') message = { ...event.message };
    if (event.type === 'content_block_start') blocks[event.index] = { ...event.content_block };
    if (event.type === 'content_block_delta') applyDelta(event.index, blocks, inputs, event.delta as unknown as Json);
    if (event.type === 'message_delta') {
      const { delta, usage, type: _type, ...rest } = event as unknown as Record<'delta' | 'usage', Json> & Json;
      message = { ...message, ...rest, ...delta, usage: { ...(message['usage'] as Json), ...usage } };
    }
  }
  for (const [index, text] of inputs) (blocks[index] as Json)['input'] = JSON.parse(text);
  return { ...message, content: blocks };
}

function applyDelta(index: number, blocks: readonly Json[], inputs: Map<number, string>, { type, ...delta }: Json): void {
  const block = blocks[index] as Json;
  if (type === 'input_json_delta') {
    const text = (inputs.get(index) ?? '') + String(delta['partial_json']);
    if (text !== '') inputs.set(index, text);
  } else if (type === 'citations_delta') {
    block['citations'] = [...list(block['citations']), delta['citation'] as Json];
  } else {
    for (const [key, value] of Object.entries(delta)) block[key] = String(block[key] ?? '') + String(value);
  }
}

function messageEvents(message: Message): Json[] {
  const { content, stop_reason, stop_sequence, usage, ...head } = message as unknown as Json;
  const { container, context_management, stop_details, ...rest } = head;
  const set = (key: string, value: unknown): Json => (value === undefined ? {} : { [key]: value });
  return [
    {
      type: 'message_start',
      message: { ...rest, content: [], stop_reason: null, stop_sequence: null, usage: { ...(usage as Json), output_tokens: 1 } },
    },
    { type: 'ping' },
    ...list(content).flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence, ...set('stop_details', stop_details), ...set('container', container) },
      usage,
      ...set('context_management', context_management),
    },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: Json, index: number): Json[] {
  const [start, ...deltas] = partsOf(block);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** The start of the block, then its deltas. Only text is split. */
function partsOf(block: Json): Json[] {
  switch (block['type']) {
    case 'text': {
      const { citations, ...rest } = block;
      return [
        { ...rest, ...(citations ? { citations: [] } : {}), text: '' },
        ...list(citations).map((citation) => ({ type: 'citations_delta', citation })),
        ...splitText(String(block['text']), 4).map((text) => ({ type: 'text_delta', text })),
      ];
    }
    case 'thinking':
      return [
        { ...block, thinking: '', signature: '' },
        ...splitText(String(block['thinking']), 4).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block['signature'] },
      ];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [
        { ...block, input: {} },
        { type: 'input_json_delta', partial_json: '' },
        ...splitText(JSON.stringify(block['input']), 4).map((text) => ({ type: 'input_json_delta', partial_json: text })),
      ];
    default:
      return [block];
  }
}

// ---- generateContent (Gemini API, "generateContent", "streamGenerateContent") -------------------------

export function contentForms(body: string, isStream: boolean): BothForms {
  if (isStream) return { whole: JSON.stringify(completionOfFrames(framesOf(body))), stream: body };
  const stream = framesFrom(JSON.parse(body) as Json)
    .map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`)
    .join('');
  return { whole: body, stream };
}

type Candidate = Json & { content?: Json & { parts?: Json[] } };

const isText = (part: Json | undefined): part is Json =>
  part !== undefined && typeof part['text'] === 'string' && Object.keys(part).every((key) => key === 'text' || key === 'thought');

/** Parts are deltas: texts of one kind that follow each other are one. Of everything else the last word counts. */
function completionOfFrames(frames: readonly Json[]): Json {
  let completion: Json = {};
  const candidates = new Map<number, Candidate>();
  for (const frame of frames) {
    const { candidates: some, usageMetadata, ...rest } = frame;
    const { totalTokenCount: _total, ...usage } = (completion['usageMetadata'] ?? {}) as Json;
    completion = { ...completion, ...rest, ...(usageMetadata ? { usageMetadata: { ...usage, ...usageMetadata } } : {}) };
    for (const [at, candidate] of list(some).entries()) {
      const index = Number(candidate['index'] ?? at);
      candidates.set(index, joined(candidates.get(index) ?? {}, candidate));
    }
  }
  return { ...completion, ...(candidates.size === 0 ? {} : { candidates: [...candidates.values()] }) };
}

function joined(before: Candidate, now: Candidate): Candidate {
  const parts = [...(before.content?.parts ?? [])];
  for (const part of now.content?.parts ?? []) {
    const last = parts.at(-1);
    if (isText(part) && isText(last) && last['thought'] === part['thought'])
      parts[parts.length - 1] = { ...last, text: `${last['text'] as string}${part['text'] as string}` };
    else parts.push(part);
  }
  return { ...before, ...now, content: { ...before.content, ...now.content, parts } };
}

function framesFrom(completion: Json): Json[] {
  const { candidates, usageMetadata, promptFeedback, ...rest } = completion;
  const all = list(candidates).flatMap((candidate) => candidateFrames(candidate).map((one) => ({ candidates: [one], ...rest })));
  const frames: Json[] = all.length === 0 ? [{ ...rest }] : all;
  const first = frames[0] as Json;
  const last = frames.at(-1) as Json;
  if (promptFeedback !== undefined) first['promptFeedback'] = promptFeedback;
  if (usageMetadata !== undefined) last['usageMetadata'] = usageMetadata;
  return frames;
}

/** Each part in frames of its own, texts in pieces, unless they are signed; what is said of the whole comes last. */
function candidateFrames(candidate: Candidate): Candidate[] {
  const { content, index, logprobsResult, ...rest } = candidate;
  const at = index === undefined ? {} : { index };
  const parts = (content?.parts ?? []).flatMap((part) =>
    isText(part) ? splitText(String(part['text']), 4).map((text): Json => ({ ...part, text })) : [part],
  );
  const frames: Candidate[] = parts.map((part) => ({ ...at, content: { ...content, parts: [part] } }));
  for (const [n, result] of logprobFrames(logprobsResult as Json | undefined, frames.length).entries())
    (frames[n] as Candidate)['logprobsResult'] = result;
  const last = frames.pop() ?? { ...at, ...(content === undefined ? {} : { content }) };
  return [...frames, { ...last, ...rest }];
}

/** Each frame has its own tokens. */
function logprobFrames(result: Json | undefined, count: number): Json[] {
  if (result === undefined || count === 0) return [];
  const chosen = list(result['chosenCandidates']);
  const top = list(result['topCandidates']);
  const size = Math.ceil(chosen.length / count);
  return Array.from({ length: Math.ceil(chosen.length / size) }, (_, n) => ({
    ...result,
    chosenCandidates: chosen.slice(n * size, (n + 1) * size),
    topCandidates: top.slice(n * size, (n + 1) * size),
  }));
}
