import type { JsonBody } from '../../core/json/body.ts';
import { noLimits } from '../../core/json/limits.ts';
import { type Member, scanArray, scanObject } from '../../core/json/scan.ts';
import { fileTypes } from './result-files.ts';
import { foreignMembers, type HistoryRules, type RoleMembers } from './rules.ts';

/**
 * True if a service of the OpenAI format would reject a message of the history, mainly assistant messages. Scans the structure
 * only: a request without a history is not scanned, and a history that needs no change is never parsed.
 */
export function needsCleaning(body: JsonBody, rules: HistoryRules): boolean {
  if (body.mentions('_resul') && body.mentions('"tool_result"')) return true;
  const ids = new Set<string>();
  try {
    for (const { text, members } of body.objectsWith('role', 'assistant')) if (isRefused(text, members, rules, ids)) return true;
    if (rules.refusedOf !== undefined && othersAre(body, rules.refusedOf)) return true;
    return rules.textResults === true && mayHoldFiles(body.oneByte) && resultsHoldFiles(body);
  } catch {
    // Not JSON, whose position the code that parses it reports; or searched too often, so that parsing costs less.
    return true;
  }
}

function othersAre(body: JsonBody, refused: RoleMembers): boolean {
  return Object.entries(refused).some(([role, names]) => {
    for (const { members } of body.objectsWith('role', role)) if (members.some(({ key }) => names.includes(key))) return true;
    return false;
  });
}

/** Short ends of members of files that begin with a rare character: a search for them takes hardly any time. */
const fileHints = ['_url"', '_data"', '_audio'] as const;
const idEnd = '_id"';

/** True if the text may contain `image_url`, `input_audio`, `file_data` or `file_id`. */
function mayHoldFiles(text: string): boolean {
  if (fileHints.some((hint) => text.includes(hint))) return true;
  // Most of these are of `tool_call_id`.
  for (let at = text.indexOf(idEnd); at >= 0; at = text.indexOf(idEnd, at + idEnd.length)) if (text[at - 1] === 'e') return true;
  return false;
}

function resultsHoldFiles(body: JsonBody): boolean {
  for (const { text, members } of body.objectsWith('role', 'tool'))
    for (const { key, start, end } of members)
      if (key === 'content' && text.charCodeAt(start) === openBracket && hasFile(text.slice(start, end))) return true;
  return false;
}

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
      found ||= first === openBrace;
    } else {
      if (key === 'function_call' || key === 'refusal') hasOther ||= !isNull;
      found ||= rules.refused.has(key);
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
const hasForeignMember = (fn: string): boolean => inFunctions.some((name) => fn.includes(name));

const inFunctions = ['"thought_signature"', '"provider_specific_fields"', '"cache_control"'] as const;

const valueOf = (text: string, { start, end }: Member): string => text.slice(start, end);
