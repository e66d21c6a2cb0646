import type { JsonBody } from '../../core/json/body.ts';
import { noLimits } from '../../core/json/limits.ts';
import { type Member, scanArray, scanObject } from '../../core/json/scan.ts';
import { fileTypes } from './result-files.ts';
import { includesFast } from '../../core/json/search/fast-search.ts';
import { foreignMembers, type HistoryRules, refusedMembersOf } from './rules.ts';

/**
 * True if a service of the OpenAI format would reject a message of the history, mainly assistant messages. Scans the structure
 * only: a history that needs no change is never parsed.
 */
export function needsCleaning(body: JsonBody, rules: HistoryRules): boolean {
  const ids = new Set<string>();
  const text = body.oneByte;
  try {
    if (body.mentions('"tool_result"') && body.objectsWith('type').some(({ value }) => value === 'tool_result')) return true;
    return body.objectsWith('role').some((message) => {
      const role = message.value;
      if (role === 'assistant') return isRefused(text, message.members, rules, ids);
      const refused = refusedMembersOf(role, rules);
      if (refused !== undefined && message.members.some(({ key }) => refused.includes(key))) return true;
      return (
        role === 'tool' &&
        rules.textResults === true &&
        message.firstOf('content') === '[' &&
        message.members.some((member) => isListWithFile(text, member))
      );
    });
  } catch {
    // Not JSON, whose position the code that parses it reports; or scanned too often, so that parsing costs less.
    return true;
  }
}

const isListWithFile = (text: string, { key, start, end }: Member): boolean =>
  key === 'content' && text.charCodeAt(start) === openBracket && hasFile(text.slice(start, end));

function hasFile(list: string): boolean {
  for (const part of scanArray(list)) {
    if (part.charCodeAt(0) !== openBrace) continue;
    const type = scanObject(part, noLimits).find(({ key }) => key === 'type');
    if (type !== undefined && fileTypes.has(valueOf(part, type).slice(1, -1))) return true;
  }
  return false;
}

/** @param ids the call ids of earlier messages */
function isRefused(message: string, members: readonly Member[], rules: HistoryRules, ids: Set<string>): boolean {
  let isEmpty = true;
  let hasOther = false;
  let found = false;
  for (const { key, start, end } of members) {
    const first = message.charCodeAt(start);
    const isNull = first === letterN;
    if (key === 'content') {
      isEmpty = isNull;
      found ||= first === openBrace || (first === openBracket && hasForeignPart(message.slice(start, end), rules));
    } else if (key === 'tool_calls') {
      hasOther = true;
      found ||= first !== openBracket || hasForeignCall(message.slice(start, end), rules, ids);
    } else if (key === 'audio') {
      hasOther ||= !isNull;
      found ||= first === openBrace || (isNull && rules.rejectsNulls === true);
    } else {
      if (key === 'function_call' || key === 'refusal') hasOther ||= !isNull;
      found ||= rules.refused.has(key) || (isNull && rules.rejectsNulls === true);
    }
  }
  const lacks = rules.needsThoughts === true && members.some(isCalls) && !members.some(({ key }) => key === rules.thoughts);
  return found || lacks || (isEmpty && !hasOther);
}

const isCalls = ({ key }: Member): boolean => key === 'tool_calls';

const openBrace = 0x7b;
const openBracket = 0x5b;
const letterN = 0x6e;

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'refusal']);

/** Assistant messages may contain only texts and refusals. Most services reject a list without parts, also next to calls. */
function hasForeignPart(list: string, { emptyLists }: HistoryRules): boolean {
  let isEmpty = emptyLists !== true;
  for (const part of scanArray(list)) {
    isEmpty = false;
    if (part.charCodeAt(0) !== openBrace) return true;
    const members = scanObject(part, noLimits);
    if (members.some(({ key }) => !textMembers.has(key))) return true;
    const type = members.find(({ key }) => key === 'type');
    const word = type === undefined ? '' : valueOf(part, type);
    if (word !== '"text"' && word !== '"refusal"') return true;
  }
  return isEmpty;
}

function hasForeignCall(list: string, rules: HistoryRules, ids: Set<string>): boolean {
  let isEmpty = true;
  if (rules.uniqueIds !== true) ids.clear();
  for (const call of scanArray(list)) {
    if (call.charCodeAt(0) !== openBrace) return true;
    isEmpty = false;
    let isNamed = false;
    let isTyped = false;
    for (const member of scanObject(call, noLimits)) {
      const { key } = member;
      if (foreignMembers.has(key)) return true;
      if (key === 'type') isTyped = true;
      if (key === 'id') {
        const id = valueOf(call, member);
        if (!rules.isId(id.slice(1, -1)) || ids.has(id)) return true;
        ids.add(id);
        isNamed = true;
      }
      if (key === 'function' && hasForeignMember(valueOf(call, member))) return true;
    }
    if (!isNamed || !isTyped) return true;
  }
  return isEmpty;
}

/** Searched as text: a quoted name cannot be inside a string, where its quotes would be escaped. */
const hasForeignMember = (fn: string): boolean => fn.includes('_') && inFunctions.some((name) => includesFast(fn, name));

const inFunctions = ['"thought_signature"', '"provider_specific_fields"', '"cache_control"'] as const;

const valueOf = (text: string, { start, end }: Member): string => text.slice(start, end);
