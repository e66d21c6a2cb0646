import type { JsonBody } from '../../../core/json/body.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import type { Dropped } from '../../../core/provider.ts';
import { notSupported } from '../../shared/request/drops.ts';
import { schemaInstruction } from '../../shared/request/json-instruction.ts';
import type { ChatQuirk } from './quirk.ts';

/** True for a value that requests the default behavior. Dropping it is not reported. */
export function isNeutral(param: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === false || value === 0 || value === '';
  if (Array.isArray(value)) return value.every((one) => param === 'modalities' && one === 'text');
  // Without options it still requests a search.
  return param !== 'web_search_options' && Object.keys(value).length === 0;
}

/** Replaces values that the service rejects by the nearest that it accepts, and reports them. */
export function convertValues(body: JsonBody, patch: Map<string, unknown>, quirk: ChatQuirk): readonly Dropped[] {
  const { efforts, schemaInPrompt } = quirk;
  const out = quirk.thinksByDefault === true ? [...withoutThinking(body, patch)] : [];
  const thinking = quirk.switchesThinking === true && body.has('thinking') ? body.value('thinking') : undefined;
  if (isJsonObject(thinking) && thinking['type'] !== 'enabled' && thinking['type'] !== 'disabled') {
    patch.set('thinking', { type: 'enabled' });
    out.push({ param: 'thinking.type', reason: 'sent as enabled' });
  }
  if (quirk.thinkingAsReasoning === true && body.has('thinking')) out.push(...withReasoning(body, patch));
  const effort = efforts === undefined || patch.has('reasoning_effort') ? undefined : body.peek('reasoning_effort');
  if (efforts !== undefined && typeof effort === 'string' && Object.hasOwn(efforts, effort)) {
    patch.set('reasoning_effort', efforts[effort]);
    out.push({ param: 'reasoning_effort', reason: `sent as ${efforts[effort]}` });
  }
  return schemaInPrompt === true && body.mentions('"json_schema"') ? [...out, ...withSchemaInPrompt(body, patch)] : out;
}

/** Converts `thinking` to `reasoning`. It is not disabled, because models that always reason would reject the request. */
function withReasoning(body: JsonBody, patch: Map<string, unknown>): readonly Dropped[] {
  const thinking = body.value('thinking');
  patch.set('thinking', undefined);
  const lost = (reason: string): readonly Dropped[] => [{ param: 'thinking', reason }];
  if (!isJsonObject(thinking)) return isNeutral('thinking', thinking) ? [] : lost('it is not an object');
  const { type, budget_tokens: budget, display } = thinking;
  if (type === 'disabled' || budget === 0) return lost('not all models of this service can stop reasoning');
  if (body.has('reasoning') && body.value('reasoning') !== null) return lost('reasoning is sent instead');
  const hasEffort = typeof body.peek('reasoning_effort') === 'string';
  if (hasEffort && budget !== undefined) return lost('reasoning_effort is sent instead');
  if (!hasEffort) patch.set('reasoning', typeof budget === 'number' ? { max_tokens: budget } : { enabled: true });
  return (display ?? undefined) === undefined ? [] : [{ param: 'thinking.display', reason: notSupported }];
}

function withSchemaInPrompt(body: JsonBody, patch: Map<string, unknown>): readonly Dropped[] {
  const format = body.exact('response_format');
  if (!isJsonObject(format) || format['type'] !== 'json_schema') return [];
  const messages: unknown = patch.get('messages') ?? body.exact('messages');
  const instruction = { role: 'system', content: schemaInstruction(format['json_schema']) };
  patch.set('response_format', { type: 'json_object' });
  if (Array.isArray(messages)) patch.set('messages', [instruction, ...(messages as unknown[])]);
  return [{ param: 'response_format.json_schema', reason: 'sent as an instruction' }];
}

/** Disables thinking for the effort `none` and for a forced tool, unless the client sent `thinking`, which passes as written. */
function withoutThinking(body: JsonBody, patch: Map<string, unknown>): readonly Dropped[] {
  if (body.has('thinking') && body.value('thinking') !== null) return [];
  const effort = body.peek('reasoning_effort');
  const choice = patch.get('tool_choice') ?? (body.has('tool_choice') ? body.value('tool_choice') : undefined);
  if (effort !== 'none' && !isForced(choice)) return [];
  patch.set('thinking', { type: 'disabled' });
  if (!body.has('reasoning_effort')) return [];
  patch.set('reasoning_effort', undefined);
  return effort === 'none' || isNeutral('reasoning_effort', effort)
    ? []
    : [{ param: 'reasoning_effort', reason: 'the service does not think with a forced tool' }];
}

/** True for a choice that leaves the model no answer without a call. */
const isForced = (choice: unknown): boolean =>
  choice === 'required' || (isJsonObject(choice) && (choice['type'] === 'function' || choice['type'] === 'custom'));
