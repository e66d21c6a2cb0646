import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { textOf } from '../../../shared/json.ts';
import { bareId, type MadeCall } from './calls.ts';
import type { GenerateConversion, Part } from '../conversion.ts';
import { isThirdGeneration } from '../../model.ts';
import { toParts } from '../parts.ts';

/** A tool message, and its place in the request. */
export interface ToolMessage {
  readonly message: JsonObject;
  readonly index: number;
  /** Set if the result is a part of a message of the user. */
  readonly part?: number;
}

/**
 * Converts the results of one step: exactly one per call and in the order of the calls, regardless of the order in which they
 * were sent. A call without a result gets a generated error result, because the service rejects a step with a missing result.
 *
 * @param matched receives the messages that belong to one of the calls
 */
export function resultParts(
  calls: readonly MadeCall[],
  messages: readonly ToolMessage[],
  conversion: GenerateConversion,
  matched: Set<ToolMessage>,
): Part[] {
  const open = new UnansweredCalls(calls);
  const found = new Map<MadeCall, ToolMessage>();
  for (const one of messages) {
    const id = textOf(one.message['tool_call_id']);
    const call = open.take(id === undefined ? undefined : bareId(id), textOf(one.message['name']));
    if (call === undefined) continue;
    found.set(call, one);
    matched.add(one);
  }
  const responses: Part[] = [];
  const beside: Part[] = [];
  for (const call of calls) {
    const made = responseOf(call, found.get(call), conversion);
    responses.push(made.response);
    beside.push(...made.beside);
  }
  return [...responses, ...beside];
}

/** The calls of a step that have no result yet, by id and by name, the first one last. */
class UnansweredCalls {
  readonly #byId = new Map<string | undefined, MadeCall[]>();
  readonly #byName = new Map<string, MadeCall[]>();
  readonly #all: MadeCall[];
  readonly #taken = new Set<MadeCall>();

  constructor(calls: readonly MadeCall[]) {
    this.#all = calls.toReversed();
    for (const call of this.#all) {
      listAt(this.#byId, call.id).push(call);
      listAt(this.#byName, call.written).push(call);
    }
  }

  /** Takes the first call with the id. Ids may repeat within a step. Without an id, the first call with the name, or of all. */
  take(id: string | undefined, name: string | undefined): MadeCall | undefined {
    const list = id !== undefined ? this.#byId.get(id) : name === undefined ? this.#all : this.#byName.get(name);
    for (let call = list?.pop(); call !== undefined; call = list?.pop()) {
      if (this.#taken.has(call)) continue;
      this.#taken.add(call);
      return call;
    }
    return undefined;
  }
}

function listAt<K>(lists: Map<K, MadeCall[]>, key: K): MadeCall[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function responseOf(
  call: MadeCall,
  result: ToolMessage | undefined,
  conversion: GenerateConversion,
): { readonly response: Part; readonly beside: readonly Part[] } {
  const head = { ...(call.upstreamId === undefined ? {} : { id: call.upstreamId }), name: call.name };
  if (result === undefined)
    return { response: { functionResponse: { ...head, response: { error: 'The client sent no result.' } } }, beside: [] };
  conversion.position.toMessage(result.index, result.part);
  const parts = toParts(result.message['content'], conversion);
  const output = parts
    .map((part) => part['text'])
    .filter((text) => typeof text === 'string')
    .join('\n\n');
  const files = parts.filter((part) => part['text'] === undefined);
  const response = { ...head, response: result.message['is_error'] === true ? { error: output } : { output } };
  if (files.length === 0) return { response: { functionResponse: response }, beside: [] };
  // Older models accept files only next to the result.
  if (!isThirdGeneration(conversion.traits)) return { response: { functionResponse: response }, beside: files };
  return { response: { functionResponse: { ...response, parts: files.map(fileOnly) } }, beside: [] };
}

/** Reduces a part to its file: parts of a result can contain nothing else. */
const fileOnly = (part: Part): Part =>
  isJsonObject(part['inlineData']) ? { inlineData: part['inlineData'] } : { fileData: part['fileData'] };
