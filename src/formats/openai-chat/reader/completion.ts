import { toolCallerOf } from '../../shared/tool-caller.ts';
import { faultError, GatewayError } from '../../../core/error.ts';
import type { ModelEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { parseDataUri } from '../../shared/media/data-uri.ts';
import { type AssistantPart, partsInOrder } from '../../history/assistant-parts.ts';
import { signed } from '../../history/signatures.ts';
import { indexFrom, objectOf, objectsIn, textOf } from '../../shared/json.ts';
import { faultInChoice } from '../fault.ts';
import { reasoningNames } from '../../shared/request/reasoning.ts';
import { readUsage } from '../../shared/usage.ts';
import { sourcesBeside } from './sources.ts';
import { detailsIn, ReasoningDetails, textIn } from './reasoning-details.ts';

/** Converts a whole chat completion, including the gateway's extensions, to hub events. @throws GatewayError `upstream_invalid` */
export function completionEvents(completion: unknown): readonly ModelEvent[] {
  const choices = isJsonObject(completion) && Array.isArray(completion['choices']) ? completion['choices'].filter(isJsonObject) : [];
  if (!isJsonObject(completion) || choices.length === 0) {
    throw new GatewayError('upstream_invalid', {
      message: "The provider's response is not a chat completion: it has no choices.",
      source: 'provider',
    });
  }
  const { id, model, created } = completion;
  const usage = usageIn(completion);
  const beside = sourcesBeside(completion);
  return [
    { type: 'start', id: textOf(id) ?? '', model: textOf(model) ?? '', created: typeof created === 'number' ? created : 0 },
    ...choices.flatMap((choice, at) => choiceEvents(choice, indexFrom(choice['index']) ?? at, beside)),
    ...topExtras(completion),
    ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
  ];
}

/** Reads the usage of a response. Groq sends it in `x_groq`. */
export function usageIn(answer: JsonObject): ReturnType<typeof readUsage> {
  const groq = answer['x_groq'];
  return readUsage(answer['usage']) ?? (isJsonObject(groq) ? readUsage(groq['usage']) : undefined);
}

function choiceEvents(choice: JsonObject, at: number, beside: readonly JsonObject[]): readonly ModelEvent[] {
  const message = objectOf(choice['message']);
  const parts = partsInOrder(message);
  const thoughts = parts.some(({ kind }) => kind === 'thinking') ? [] : thoughtEvents(message, at);
  let calls = 0;
  const own = objectsIn(message['annotations']);
  const sources = own.length === 0 ? beside : own;
  const cited = sources.length === 0 ? [] : [{ type: 'annotations', choice: at, annotations: sources } as const];
  const made = parts.map((one, block) => partEvents(one, { choice: at, block, call: one.kind === 'call' ? calls++ : calls }));
  // Clients of some formats cannot add sources to a text once a call follows it.
  const first = parts.findIndex(({ kind }) => kind === 'call');
  const until = parts.slice(0, Math.max(0, first)).some(({ kind }) => kind === 'text') ? first : parts.length;
  return [
    ...choiceExtras(choice, at),
    ...thoughts,
    ...made.slice(0, until).flat(),
    ...cited,
    ...made.slice(until).flat(),
    ...soundIn(message, at),
    finishEvent(choice, at, calls),
  ];
}

/** The sound of a message. Its transcript is one of the parts. */
function soundIn(message: JsonObject, choice: number): readonly ModelEvent[] {
  const data = textOf(objectOf(message['audio'])['data']);
  return data === undefined ? [] : [{ type: 'audio', choice, audio: { data } }];
}

function thoughtEvents(message: JsonObject, choice: number): readonly ModelEvent[] {
  const text = reasoningIn(message);
  const out: ModelEvent[] = text === '' ? [] : [{ type: 'thinking', choice, text, block: -1 }];
  const reader = new ReasoningDetails(choice);
  for (const detail of detailsIn(message)) {
    reader.push(detail, out);
    reader.close(out);
  }
  return out;
}

/**
 * Reads reasoning outside the content, in each of the members that services use. Returns '' if `reasoning_details` has the same
 * text.
 */
export function reasoningIn(message: JsonObject): string {
  if (detailsIn(message).some((detail) => textIn(detail) !== '')) return '';
  return reasoningNames.map((name) => textOf(message[name])).find((text) => text !== undefined) ?? '';
}

interface Position {
  readonly choice: number;
  readonly block: number;
  /** Number of calls before it. */
  readonly call: number;
}

function partEvents(said: AssistantPart, { choice, block, call }: Position): readonly ModelEvent[] {
  switch (said.kind) {
    case 'text':
      return said.from['type'] === 'refusal'
        ? [{ type: 'refusal', choice, text: said.text }]
        : [
            { type: 'text', choice, text: said.text, block, ...signed(textOf(said.from['signature'])) },
            ...citedIn(said.from, choice, block),
          ];
    case 'thinking':
      return [{ type: 'thinking', choice, text: said.text, block, ...signed(said.signature) }];
    case 'redacted':
      return [{ type: 'redacted', choice, block, data: said.data }];
    case 'call':
      return [callEvent(said.call, choice, call)];
    case 'other':
      return [otherEvent(said.part, choice, block)];
    case 'fragment':
      return [];
    default:
      return said satisfies never;
  }
}

/** Citations of a text in the form of the messages API. */
export const citedIn = ({ citations }: JsonObject, choice: number, block: number): readonly ModelEvent[] =>
  Array.isArray(citations) && citations.length > 0
    ? [{ type: 'block', choice, block, state: 'open', kind: 'native', native: { citations } }]
    : [];

function callEvent(call: JsonObject, choice: number, index: number): ModelEvent {
  const fn = [call['function'], call['custom']].find(isJsonObject) ?? {};
  const id = textOf(call['id']);
  return {
    type: 'tool_call',
    choice,
    index,
    ...(isJsonObject(call['custom']) ? { kind: 'custom' as const } : {}),
    ...(id === undefined ? {} : { id }),
    name: textOf(fn['name']) ?? '',
    arguments: argumentsOf(fn) ?? '',
    ...signatureOf(call, fn),
    ...toolCallerOf(call),
  };
}

/** Returns the arguments as text. Some services send them as an object. */
export function argumentsOf(fn: JsonObject): string | undefined {
  const value = fn['arguments'] ?? fn['input'];
  return typeof value === 'string' ? value : isJsonObject(value) ? JSON.stringify(value) : undefined;
}

export function signatureOf(call: JsonObject, fn: JsonObject): { readonly thoughtSignature?: string } {
  const extra = isJsonObject(call['extra_content']) && isJsonObject(call['extra_content']['google']) ? call['extra_content']['google'] : {};
  const signature = textOf(fn['thought_signature']) ?? textOf(extra['thought_signature']);
  return signature === undefined ? {} : { thoughtSignature: signature };
}

/**
 * Converts an image sent by value to a media event, and any other part, such as a step of a tool that ran at the service, to a
 * native block.
 */
export function otherEvent(part: JsonObject, choice: number, block: number): ModelEvent {
  const image = part['image_url'];
  const url = isJsonObject(image) ? image['url'] : image;
  const data = typeof url === 'string' ? parseDataUri(url) : undefined;
  if (data === undefined) return { type: 'block', choice, block, state: 'open', kind: 'native', native: part };
  return { type: 'media', choice, block, mimeType: data.mimeType, base64: data.base64 };
}

/** Fields that the gateway and some services add to OpenAI's format. */
export function choiceExtras(choice: JsonObject, at: number): readonly ModelEvent[] {
  const matched = matchedStop(choice);
  const own = present(choice, ['stop_sequence', 'stop_details', 'logprobs']);
  const fields = matched === undefined ? own : { ...own, stop_sequence: matched };
  return fields === undefined ? [] : [{ type: 'extra', choice: at, fields, strict: false }];
}

/** Returns the stop sequence that ended a choice: `stop_reason` of vLLM, `matched_stop` of SGLang. Numbers are tokens of the model. */
const matchedStop = (choice: JsonObject): string | undefined =>
  choice['finish_reason'] === 'stop' ? (textOf(choice['stop_reason']) ?? textOf(choice['matched_stop'])) : undefined;

export function topExtras(answer: JsonObject): readonly ModelEvent[] {
  const fields = present(answer, ['container', 'context_management']);
  return fields === undefined ? [] : [{ type: 'extra', fields, strict: false }];
}

function present(object: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const found = keys.filter((key) => object[key] !== undefined && object[key] !== null);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((key) => [key, object[key]]));
}

export function finishEvent(choice: JsonObject, at: number, calls: number): ModelEvent {
  const fault = faultInChoice(choice);
  if (fault !== undefined) return { type: 'error', error: faultError(fault) };
  const reason = textOf(choice['finish_reason']) ?? (calls > 0 ? 'tool_calls' : 'stop');
  const raw = textOf(choice['native_finish_reason']) ?? (matchedStop(choice) === undefined ? undefined : 'stop_sequence');
  return { type: 'finish', choice: at, reason, ...(raw === undefined ? {} : { raw }) };
}
