import { problemsOf } from './openai-shapes.ts';

type Json = Record<string, unknown>;

/** A chat completion as a client assembles it, with or without streaming. */
export interface Gathered {
  readonly ids: ReadonlySet<unknown>;
  readonly models: ReadonlySet<unknown>;
  content: string;
  readonly calls: { index: number; id: string; name: string; arguments: string }[];
  readonly finish: unknown[];
  readonly native: unknown[];
  readonly usages: Json[];
  /** By index of the block: text members of its deltas joined, other members in a list. */
  readonly blocks: Map<number, Record<string, string> & { [others]: Json[] }>;
  readonly roles: unknown[];
  readonly problems: string[];
  readonly errors: Json[];
  isDone: boolean;
}

export const others: unique symbol = Symbol('others');

/** Reads a stream like OpenAI's clients. */
export function gatherStream(text: string, strict: boolean): Gathered {
  const out = empty();
  const events = text.split('\n\n').filter((event) => event !== '');
  for (const event of events) {
    if (out.isDone) out.problems.push(`after [DONE]: ${event}`);
    if (!event.startsWith('data: ') || event.includes('\n')) out.problems.push(`not one data line: ${event}`);
    const data = event.slice(6);
    if (data === '[DONE]') {
      out.isDone = true;
      continue;
    }
    const chunk = JSON.parse(data) as Json;
    if (chunk['error'] !== undefined) {
      out.errors.push(chunk['error'] as Json);
      continue;
    }
    out.problems.push(...problemsOf('chunk', chunk, strict));
    addChunk(out, chunk);
  }
  return out;
}

function addChunk(out: Gathered, chunk: Json): void {
  (out.ids as Set<unknown>).add(chunk['id']);
  (out.models as Set<unknown>).add(chunk['model']);
  if (chunk['usage'] !== undefined) out.usages.push(chunk['usage'] as Json);
  for (const choice of chunk['choices'] as Json[]) {
    const delta = choice['delta'] as Json;
    if (delta['role'] !== undefined) out.roles.push(delta['role']);
    out.content += String(delta['content'] ?? '');
    for (const call of (delta['tool_calls'] ?? []) as Json[]) addCall(out, call);
    for (const block of (delta['content_blocks'] ?? []) as Json[]) addBlock(out, block['index'] as number, block['delta'] as Json);
    if (choice['finish_reason'] !== null) out.finish.push(choice['finish_reason']);
    if (choice['native_finish_reason'] !== undefined) out.native.push(choice['native_finish_reason']);
  }
}

function addCall(out: Gathered, call: Json): void {
  const index = call['index'] as number;
  const functionCall = call['function'] as Json;
  let existing = out.calls.find((one) => one.index === index);
  if (existing === undefined) {
    existing = { index, id: String(call['id']), name: String(functionCall['name']), arguments: '' };
    out.calls.push(existing);
  } else if (call['id'] !== undefined || functionCall['name'] !== undefined) out.problems.push(`call ${index} is named twice`);
  existing.arguments += String(functionCall['arguments'] ?? '');
}

function addBlock(out: Gathered, index: number, delta: Json): void {
  const block = out.blocks.get(index) ?? ({ [others]: [] } as unknown as Record<string, string> & { [others]: Json[] });
  out.blocks.set(index, block);
  const rest: Json = {};
  const isOwn = delta['type'] !== undefined;
  for (const [key, value] of Object.entries(delta)) {
    if (!isOwn && typeof value === 'string') block[key] = (block[key] ?? '') + value;
    else rest[key] = value;
  }
  if (Object.keys(rest).length > 0) block[others].push(rest);
}

/** Reads a whole response into the same form. */
export function gatherWhole(answer: Json, strict: boolean): Gathered {
  const out = empty();
  out.problems.push(...problemsOf('completion', answer, strict));
  const choice = (answer['choices'] as Json[])[0] as Json;
  const message = choice['message'] as Json;
  (out.ids as Set<unknown>).add(answer['id']);
  (out.models as Set<unknown>).add(answer['model']);
  out.content = String(message['content'] ?? '');
  out.roles.push(message['role']);
  for (const [index, call] of ((message['tool_calls'] ?? []) as Json[]).entries()) addCall(out, { ...call, index });
  out.finish.push(choice['finish_reason']);
  if (choice['native_finish_reason'] !== undefined) out.native.push(choice['native_finish_reason']);
  out.usages.push(answer['usage'] as Json);
  out.isDone = true;
  return out;
}

function empty(): Gathered {
  return {
    ids: new Set(),
    models: new Set(),
    content: '',
    calls: [],
    finish: [],
    native: [],
    usages: [],
    blocks: new Map(),
    roles: [],
    problems: [],
    errors: [],
    isDone: false,
  };
}
