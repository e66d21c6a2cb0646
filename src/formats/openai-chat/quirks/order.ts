import type { JsonBody } from '../../../core/json/body.ts';
import type { Member } from '../../../core/json/scan.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
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

/** Scans the structure only. Without a message of the assistant there is nothing that could be out of order. */
function mayBeOutOfOrder(body: JsonBody): boolean {
  const text = body.oneByte;
  let isBeforeOther = false;
  try {
    let begun: number | undefined;
    for (const message of body.objectsWith('role')) {
      if (message.value === 'assistant') {
        if (mayBeEmpty(text, message.members)) return true;
        begun ??= message.end;
      } else if (begun !== undefined && (message.value === 'system' || message.value === 'developer')) return true;
      if (message.value !== 'tool') continue;
      otherAfter.lastIndex = message.end;
      isBeforeOther ||= otherAfter.test(text);
    }
    return begun !== undefined && isBeforeOther;
  } catch {
    // Not JSON, or scanned too often: the code that parses it decides.
    return true;
  }
}

function mayBeEmpty(text: string, members: readonly Member[]): boolean {
  const content = members.find(({ key }) => key === 'content');
  const isEmpty =
    content === undefined || /^(?:""|null|\[\s*\])$/.test(text.slice(content.start, Math.min(content.end, content.start + 20)));
  return isEmpty && !members.some(({ key }) => key === 'tool_calls');
}

/** The end of an object, before another one that does not begin with one of the roles that may follow a result. */
const otherAfter = /\s*\}\s*,\s*\{(?!\s*"role"\s*:\s*"(?:tool|assistant)")/y;
