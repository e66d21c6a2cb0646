import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { textOf } from '../../../shared/json.ts';
import { bareId, type MadeCall } from './calls.ts';
import { unsupportedParameter } from '../../../shared/request/parameter-errors.ts';
import type { GenerateConversion, Part } from '../conversion.ts';
import { isThirdGeneration } from '../../model.ts';
import { toParts } from '../parts.ts';

/** A tool message and its position. */
export interface ToolMessage {
  readonly message: JsonObject;
  readonly at: string;
}

/**
 * Converts the results of one step: exactly one per call and in the order of the calls, regardless of the order in which they
 * were sent. A call without a result gets a generated error result, because the service rejects a step with a missing result.
 *
 * @throws GatewayError for a result without a call
 */
export function resultParts(calls: readonly MadeCall[], messages: readonly ToolMessage[], conversion: GenerateConversion): Part[] {
  const open = new UnansweredCalls(calls);
  const found = new Map<MadeCall, ToolMessage>();
  for (const one of messages) found.set(callOf(one, open), one);
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

/** @throws GatewayError for a result without a call */
function callOf({ message, at }: ToolMessage, open: UnansweredCalls): MadeCall {
  const raw = textOf(message['tool_call_id']);
  const call = open.take(raw === undefined ? undefined : bareId(raw), textOf(message['name']));
  if (call !== undefined) return call;
  throw unsupportedParameter(
    `${at}.tool_call_id`,
    raw === undefined
      ? 'The tool message names no tool_call_id.'
      : `No open tool call of the assistant message before it has the id "${raw.slice(0, 80)}".`,
    'Send each tool result after the assistant message with its call, once.',
  );
}

function responseOf(
  call: MadeCall,
  result: ToolMessage | undefined,
  conversion: GenerateConversion,
): { readonly response: Part; readonly beside: readonly Part[] } {
  const head = { ...(call.upstreamId === undefined ? {} : { id: call.upstreamId }), name: call.name };
  if (result === undefined)
    return { response: { functionResponse: { ...head, response: { error: 'The client sent no result.' } } }, beside: [] };
  const parts = toParts(result.message['content'], `${result.at}.content`, conversion);
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
