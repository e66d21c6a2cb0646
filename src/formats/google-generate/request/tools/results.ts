import { isPlain, type Plain } from '../../../../core/json/merge.ts';
import { textOf } from '../../../shared/json.ts';
import { bareId, type MadeCall } from './calls.ts';
import { cannotCarry } from '../../../shared/request/cannot-carry.ts';
import type { Conversion, Part } from '../conversion.ts';
import { isThird } from '../../model.ts';
import { toParts } from '../parts.ts';

/** A tool message and its position. */
export interface ToolMessage {
  readonly message: Plain;
  readonly at: string;
}

/**
 * Converts the results of one step: exactly one per call and in the order of the calls, regardless of the order in which they
 * were sent. A call without a result gets a generated error result, because the service rejects a step with a missing result.
 *
 * @throws GatewayError for a result without a call
 */
export function resultParts(calls: readonly MadeCall[], messages: readonly ToolMessage[], conversion: Conversion): Part[] {
  const found: (ToolMessage | undefined)[] = calls.map(() => undefined);
  for (const one of messages) found[placeOf(one, calls, found)] = one;
  const responses: Part[] = [];
  const beside: Part[] = [];
  for (const [index, call] of calls.entries()) {
    const made = responseOf(call, found[index], conversion);
    responses.push(made.response);
    beside.push(...made.beside);
  }
  return [...responses, ...beside];
}

/** Finds the call of a result. Ids may repeat within a step, so the first call with the id and without a result is used. */
function placeOf({ message, at }: ToolMessage, calls: readonly MadeCall[], found: readonly unknown[]): number {
  const raw = textOf(message['tool_call_id']);
  const id = raw === undefined ? undefined : bareId(raw);
  const name = textOf(message['name']);
  const isMeant = (call: MadeCall): boolean => (id !== undefined ? call.id === id : name === undefined || call.written === name);
  const free = calls.findIndex((call, index) => found[index] === undefined && isMeant(call));
  if (free >= 0) return free;
  throw cannotCarry(
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
  conversion: Conversion,
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
  if (!isThird(conversion.traits)) return { response: { functionResponse: response }, beside: files };
  return { response: { functionResponse: { ...response, parts: files.map(fileOnly) } }, beside: [] };
}

/** Reduces a part to its file: parts of a result can contain nothing else. */
const fileOnly = (part: Part): Part => (isPlain(part['inlineData']) ? { inlineData: part['inlineData'] } : { fileData: part['fileData'] });
