import type { JsonBody } from '../../../core/json/body.ts';
import type { TokenReader } from '../../../core/json/search/token-reader.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import { someMessage } from '../../history/some-message.ts';
import type { ChatQuirk } from './quirk.ts';

/** Brings messages into the order that the service requires, and leaves out empty ones that it rejects. */
export function orderMessages(body: JsonBody, patch: Map<string, unknown>, quirk: ChatQuirk): void {
  const { systemFirst, rejectsEmpty, afterResults } = quirk;
  if (systemFirst === undefined && rejectsEmpty === undefined && afterResults === undefined) return;
  if (!mayBeOutOfOrder(body)) return;
  const messages: unknown = patch.get('messages') ?? body.exact('messages');
  if (!Array.isArray(messages)) return;
  const kept = rejectsEmpty === true ? messages.filter((one) => !isEmptyAnswer(one)) : messages;
  const sorted = systemFirst === true ? [...kept.filter(isSystem), ...kept.filter((one) => !isSystem(one))] : kept;
  const ordered = afterResults === undefined ? sorted : withAnswers(sorted, afterResults);
  if (ordered.length !== messages.length || ordered.some((one, at) => one !== messages[at])) patch.set('messages', ordered);
}

const roleOf = (message: unknown): unknown => (isJsonObject(message) ? message['role'] : undefined);

const isSystem = (message: unknown): boolean => roleOf(message) === 'system' || roleOf(message) === 'developer';

function isEmptyAnswer(message: unknown): boolean {
  if (!isJsonObject(message) || message['role'] !== 'assistant') return false;
  const { content, tool_calls: calls } = message;
  return (isEmptyList(content) || (content ?? '') === '') && (isEmptyList(calls) || (calls ?? undefined) === undefined);
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function withAnswers(messages: readonly unknown[], text: string): readonly unknown[] {
  return messages.flatMap((one, at) =>
    roleOf(one) === 'user' && roleOf(messages[at - 1]) === 'tool' ? [{ role: 'assistant', content: text }, one] : [one],
  );
}

/** Reads the structure only. Without a message of the assistant there is nothing that could be out of order. */
function mayBeOutOfOrder(body: JsonBody): boolean {
  let last = '';
  let isBegun = false;
  let isResultBeforeOther = false;
  const isOdd = someMessage(body, (role, message) => {
    isResultBeforeOther ||= last === 'tool' && role !== 'tool' && role !== 'assistant';
    last = role;
    if (role !== 'assistant') return isBegun && (role === 'system' || role === 'developer');
    isBegun = true;
    return mayBeEmpty(message);
  });
  return isOdd || (isBegun && isResultBeforeOther);
}

function mayBeEmpty(message: TokenReader): boolean {
  let isEmpty = true;
  while (message.nextMember()) {
    if (message.isKey('tool_calls')) return false;
    if (message.isKey('content')) isEmpty = message.isEmptyValue;
  }
  return isEmpty;
}
