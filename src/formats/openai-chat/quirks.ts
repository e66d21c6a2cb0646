import type { BodyPatch, JsonBody } from '../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Dropped } from '../../core/provider.ts';
import { withoutKeywords } from './tool-schemas.ts';

/** One difference between a service's chat requests and the format that it follows. */
export interface ChatQuirk {
  /** Members of the body that the service rejects. They are dropped and reported. */
  readonly drops?: readonly string[];
  /** Members of the body that have another name at the service. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Roles of messages that have another name at the service. */
  readonly roles?: Readonly<Record<string, string>>;
  /** Keywords that it rejects in the JSON schemas of tools, and that constrain nothing. */
  readonly schemaKeywords?: readonly string[];
  /** It continues the text of a last assistant message only if this member is true. */
  readonly prefill?: string;
  /** It accepts text parts only as one text. */
  readonly joinsTexts?: true;
  /** Values of `reasoning_effort` that it rejects, with the nearest that it accepts. */
  readonly efforts?: Readonly<Record<string, string>>;
  /** It thinks unless `thinking` disables it: it has no effort `none`, and rejects a forced tool while it thinks. */
  readonly thinksByDefault?: true;
  /** Its `thinking` has no type but `enabled` and `disabled`. */
  readonly switchesThinking?: true;
  /** It has no structured outputs, only a JSON mode: the schema becomes a system message. */
  readonly schemaInPrompt?: true;
  /** It has no `functions`, only tools. */
  readonly functionsAsTools?: true;
  /** Models that differ, by the service's own name. All models if absent. */
  readonly models?: RegExp;
}

const chatMembers = [
  'drops',
  'renames',
  'roles',
  'schemaKeywords',
  'prefill',
  'joinsTexts',
  'efforts',
  'thinksByDefault',
  'switchesThinking',
  'schemaInPrompt',
  'functionsAsTools',
] as const;

/** True for a difference that changes the body of a request. */
export const isChatQuirk = (quirk: ChatQuirk): boolean => chatMembers.some((name) => quirk[name] !== undefined);

const reason = 'not supported by this service';

/** Adapts a body to the service. Returns it with what was dropped, or the same body if nothing differs. */
export function withQuirks(
  body: JsonBody,
  model: string,
  quirks: readonly ChatQuirk[],
): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  const patch = new Map<string, unknown>();
  const dropped: Dropped[] = [];
  const drop = (param: string, why: string): void => {
    patch.set(param, undefined);
    if (!isNeutral(body.value(param))) dropped.push({ param, reason: why });
  };
  for (const quirk of quirks) {
    const { drops = [], renames = {}, roles = {}, models } = quirk;
    if (models?.test(model) === false) continue;
    for (const param of drops) if (body.has(param)) drop(param, reason);
    for (const [from, to] of Object.entries(renames)) {
      if (!body.has(from)) continue;
      if (body.has(to)) drop(from, `the request has ${to}`);
      else patch.set(from, undefined).set(to, body.value(from));
    }
    for (const [from, to] of Object.entries(roles)) renameRole(body, patch, from, to);
    convertMembers(body, patch, quirk);
    dropped.push(...convertValues(body, patch, quirk));
  }
  return patch.size === 0 ? { body, dropped } : { body: body.edit(patch as BodyPatch), dropped };
}

/** True for values that request the default behavior. Dropping them is not reported. */
const isNeutral = (value: unknown): boolean =>
  value === null || value === false || value === 0 || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

function renameRole(body: JsonBody, patch: Map<string, unknown>, from: string, to: string): void {
  if (body.mentions(`"${from}"`)) editMessages(body, patch, (one) => (one['role'] === from ? { ...one, role: to } : one));
}

/** Replaces values that the service rejects by the nearest that it accepts, and reports them. */
function convertValues(body: JsonBody, patch: Map<string, unknown>, quirk: ChatQuirk): readonly Dropped[] {
  const { efforts, schemaInPrompt } = quirk;
  const out = quirk.thinksByDefault === true ? [...withoutThinking(body, patch)] : [];
  const thinking = quirk.switchesThinking === true && body.has('thinking') ? body.value('thinking') : undefined;
  if (isJsonObject(thinking) && thinking['type'] !== 'enabled' && thinking['type'] !== 'disabled') {
    patch.set('thinking', { type: 'enabled' });
    out.push({ param: 'thinking.type', reason: 'sent as enabled' });
  }
  const effort = efforts === undefined || patch.has('reasoning_effort') ? undefined : body.peek('reasoning_effort');
  if (efforts !== undefined && typeof effort === 'string' && Object.hasOwn(efforts, effort)) {
    patch.set('reasoning_effort', efforts[effort]);
    out.push({ param: 'reasoning_effort', reason: `sent as ${efforts[effort]}` });
  }
  return schemaInPrompt === true && body.mentions('"json_schema"') ? [...out, ...withSchemaInPrompt(body, patch)] : out;
}

function withSchemaInPrompt(body: JsonBody, patch: Map<string, unknown>): readonly Dropped[] {
  const format = body.exact('response_format');
  if (!isJsonObject(format) || format['type'] !== 'json_schema') return [];
  const messages: unknown = patch.get('messages') ?? body.exact('messages');
  const instruction = { role: 'system', content: `${jsonOnly}${schemaText(format['json_schema'])}` };
  patch.set('response_format', { type: 'json_object' });
  if (Array.isArray(messages)) patch.set('messages', [instruction, ...(messages as unknown[])]);
  return [{ param: 'response_format.json_schema', reason: 'sent as an instruction' }];
}

/** Disables thinking for the effort `none` and for a forced tool, unless the client sent `thinking`, which passes as written. */
function withoutThinking(body: JsonBody, patch: Map<string, unknown>): readonly Dropped[] {
  if (body.has('thinking') && body.value('thinking') !== null) return [];
  const effort = body.peek('reasoning_effort');
  if (effort !== 'none' && !(body.has('tool_choice') && isForced(body.value('tool_choice')))) return [];
  patch.set('thinking', { type: 'disabled' });
  if (!body.has('reasoning_effort')) return [];
  patch.set('reasoning_effort', undefined);
  return effort === 'none' || isNeutral(effort)
    ? []
    : [{ param: 'reasoning_effort', reason: 'the service does not think with a forced tool' }];
}

/** True for a choice that leaves the model no answer without a call. */
const isForced = (choice: unknown): boolean =>
  choice === 'required' || (isJsonObject(choice) && (choice['type'] === 'function' || choice['type'] === 'custom'));

const jsonOnly = 'Answer with one JSON object and nothing else: no other text, no code fence.';

function schemaText(wanted: unknown): string {
  if (!isJsonObject(wanted)) return '';
  const { description, schema } = wanted;
  const about = typeof description === 'string' && description !== '' ? ` The object: ${description.replace(/\.?$/, '.')}` : '';
  return isJsonObject(schema) ? `${about} It is valid by this JSON schema: ${JSON.stringify(schema)}` : about;
}

/** Changes the form of messages and tools; nothing is lost. */
function convertMembers(body: JsonBody, patch: Map<string, unknown>, { schemaKeywords = [], prefill, joinsTexts }: ChatQuirk): void {
  if (joinsTexts === true && body.mentions('"text"')) editMessages(body, patch, withJoinedText);
  if (prefill !== undefined && endsWithAssistant(body))
    editMessages(body, patch, (one, isLast) =>
      isLast && one['role'] === 'assistant' && !Array.isArray(one['tool_calls']) && one[prefill] === undefined
        ? { ...one, [prefill]: true }
        : one,
    );
  if (!schemaKeywords.some((keyword) => body.mentions(`"${keyword}"`))) return;
  const tools = body.exact('tools');
  if (Array.isArray(tools)) patch.set('tools', withoutKeywords(tools, new Set(schemaKeywords)));
}

/** True if the assistant wrote the last message of a list. Scans the structure only. */
function endsWithAssistant(body: JsonBody): boolean {
  let found = false;
  try {
    for (const { text, members } of body.objectsWith('role', 'assistant')) {
      endOfList.lastIndex = members.at(-1)?.end ?? 0;
      found = endOfList.test(text);
    }
    return found;
  } catch {
    // Not JSON, or searched too often: the code that parses it decides.
    return true;
  }
}

const endOfList = /\s*\}\s*\]/y;

type EditMessage = (message: JsonObject, isLast: boolean) => JsonObject;

function editMessages(body: JsonBody, patch: Map<string, unknown>, edit: EditMessage): void {
  const messages: unknown = patch.get('messages') ?? body.exact('messages');
  if (!Array.isArray(messages)) return;
  const edited = messages.map((one: unknown, at) => (isJsonObject(one) ? edit(one, at === messages.length - 1) : one));
  if (edited.some((one, at) => one !== messages[at])) patch.set('messages', edited);
}

/** Joins content that consists only of texts. */
function withJoinedText(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || content.length === 0) return message;
  const texts = content.map((part: unknown) => (isJsonObject(part) && part['type'] === 'text' ? part['text'] : undefined));
  return texts.every((text) => typeof text === 'string') ? { ...message, content: texts.join('\n\n') } : message;
}
