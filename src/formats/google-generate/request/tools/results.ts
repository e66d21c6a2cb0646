import { isPlain, type Plain } from '../../../../core/json/merge.ts';
import { textOf } from '../../../shared/json.ts';
import { bareId, type MadeCall } from './calls.ts';
import { cannotCarry } from '../../../shared/request/cannot-carry.ts';
import type { Conversion, Part } from '../conversion.ts';
import { isThird } from '../../model.ts';
import { toParts } from '../parts.ts';

/** A tool message and where it is. */
export interface ToolMessage {
  readonly message: Plain;
  readonly at: string;
}

/**
 * The results of one step: exactly one for each call and in the order of the calls, whatever order they came in.
 * A call that the client left without a result gets one that says so, since the service
 * refuses a step with a result too few.
 *
 * @throws GatewayError for a result that answers no call
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

/** Ids may repeat within a step: the first call of the id that has no result yet is meant. */
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
    .join('');
  const files = parts.filter((part) => part['text'] === undefined);
  const response = { ...head, response: result.message['is_error'] === true ? { error: output } : { output } };
  if (files.length === 0) return { response: { functionResponse: response }, beside: [] };
  // Older models know files only beside the result.
  if (!isThird(conversion.traits)) return { response: { functionResponse: response }, beside: files };
  return { response: { functionResponse: { ...response, parts: files.map(fileOnly) } }, beside: [] };
}

/** Parts of a result hold a file and nothing else. */
const fileOnly = (part: Part): Part => (isPlain(part['inlineData']) ? { inlineData: part['inlineData'] } : { fileData: part['fileData'] });
