import type { JsonBody } from '../../core/json/body.ts';
import type { TokenReader } from '../../core/json/search/token-reader.ts';
import { fileTypes } from './result-files.ts';
import { foreignMembers, type HistoryRules, refusedMembersOf } from './rules.ts';
import { someMessage } from './some-message.ts';

/**
 * True if a service of the OpenAI format would reject a message of the history, mainly assistant messages. Reads the structure
 * only: a history that needs no change is never parsed.
 */
export function needsCleaning(body: JsonBody, rules: HistoryRules): boolean {
  if (body.mentions('"tool_result"') && /"type"\s*:\s*"tool_result"/.test(body.oneByte)) return true;
  const ids = new Set<string>();
  return someMessage(body, (role, message) => {
    if (role === 'assistant') return isRefused(message, rules, ids);
    if (role === 'function' && rules.refused.has('function_call')) return true;
    const refused = refusedMembersOf(role, rules);
    const mayHaveFile = role === 'tool' && rules.textResults === true;
    if (refused === undefined && !mayHaveFile) return false;
    while (message.nextMember()) {
      if (refused?.includes(message.key) === true) return true;
      if (mayHaveFile && message.first === openBracket && message.isKey('content') && hasFile(message)) return true;
    }
    return false;
  });
}

function hasFile(content: TokenReader): boolean {
  content.enter();
  while (content.nextObject()) while (content.nextMember()) if (content.isKey('type') && fileTypes.has(content.string)) return true;
  return false;
}

/** @param ids the call ids of earlier messages */
function isRefused(message: TokenReader, rules: HistoryRules, ids: Set<string>): boolean {
  let isEmpty = true;
  let hasOther = false;
  let hasCalls = false;
  let hasThoughts = false;
  while (message.nextMember()) {
    const { first } = message;
    const isNull = first === letterN;
    if (message.isKey('role')) continue;
    if (message.isKey('content')) {
      isEmpty = isNull;
      if (first === openBrace || (first === openBracket && hasForeignPart(message, rules))) return true;
    } else if (message.isKey('tool_calls')) {
      hasCalls = true;
      if (first !== openBracket || hasForeignCall(message, rules, ids)) return true;
    } else {
      const { key } = message;
      if (key === 'audio') {
        if (first === openBrace) return true;
        hasOther ||= !isNull;
      } else if (rules.refused.has(key)) return true;
      if (isNull && rules.rejectsNulls === true) return true;
      if (key === 'function_call' || key === 'refusal') hasOther ||= !isNull;
      hasThoughts ||= key === rules.thoughts;
    }
  }
  if (hasCalls) return rules.needsThoughts === true && !hasThoughts;
  return isEmpty && !hasOther;
}

const openBrace = 0x7b;
const openBracket = 0x5b;
const letterN = 0x6e;

/** Assistant messages may contain only texts and refusals. Most services reject a list without parts, also next to calls. */
function hasForeignPart(content: TokenReader, { emptyLists }: HistoryRules): boolean {
  let isEmpty = emptyLists !== true;
  content.enter();
  while (content.nextObject()) {
    isEmpty = false;
    let type = '';
    while (content.nextMember()) {
      if (content.isKey('type')) type = content.string;
      else if (!content.isKey('text') && !content.isKey('refusal')) return true;
    }
    if (type !== 'text' && type !== 'refusal') return true;
  }
  return isEmpty;
}

function hasForeignCall(calls: TokenReader, rules: HistoryRules, ids: Set<string>): boolean {
  let isEmpty = true;
  if (rules.uniqueIds !== true) ids.clear();
  calls.enter();
  while (calls.nextObject()) {
    isEmpty = false;
    let isNamed = false;
    let isTyped = false;
    while (calls.nextMember()) {
      if (calls.isKey('type')) isTyped = true;
      else if (calls.isKey('id')) {
        const id = calls.string;
        if (!rules.isId(id) || ids.has(id)) return true;
        ids.add(id);
        isNamed = true;
      } else if (calls.isKey('function')) {
        if (hasForeignMember(calls)) return true;
      } else if (foreignMembers.has(calls.key)) return true;
    }
    if (!isNamed || !isTyped) return true;
  }
  return isEmpty;
}

/** Members of a function that no service accepts in a call. */
const inFunctions: ReadonlySet<string> = new Set(['thought_signature', 'provider_specific_fields', 'cache_control']);

/** True also for an empty name, which no service accepts. */
function hasForeignMember(fn: TokenReader): boolean {
  if (fn.first !== openBrace) return false;
  fn.enter();
  while (fn.nextMember()) {
    if (fn.isKey('name')) {
      if (fn.isEmptyValue) return true;
    } else if (!fn.isKey('arguments') && inFunctions.has(fn.key)) return true;
  }
  return false;
}
