import { sha256 } from '../../../core/secrets/sha256.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';
import type { PlainService } from './service.ts';
import { callsWithoutReasoning, canStopReasoning, isReasoningModel, servedEffort } from './reasoning.ts';
import { withFittingStrict } from './strict.ts';

/** Fields of other APIs. No service of this format supports them unless it is listed in `known`. */
const foreign = ['top_k', 'cache_control', 'context_management', 'container', 'mcp_servers', 'inference_geo', 'speed'] as const;

/** OpenAI's limit on the number of stop sequences. */
const maxStops = 4;

/** OpenAI's limit on the length of `user`, in characters. */
const longestUser = 64;

/** Adapts the fields of a body other than messages and tools. @param hasTools functions are sent beside them */
export function adaptFields(body: JsonObject, service: PlainService, drops: Drops, hasTools: boolean): Record<string, unknown> {
  const out: Record<string, unknown> = { ...body };
  const drop = (name: string, reason?: string): void => {
    if (out[name] === undefined) return;
    delete out[name];
    drops.add(name, reason);
  };
  if (!service.isOpenAi) rename(out, 'max_completion_tokens', 'max_tokens');
  if (!service.passes) {
    for (const name of foreign) if (!service.known.includes(name)) drop(name);
    if (!service.known.includes('thinking')) thinkingOf(out, service, drop);
    if (service.isOpenAi && hasTools && callsWithoutReasoning(service.model)) stopReasoning(out, body, drops);
    fitEffort(out, service, drops);
    if (service.isOpenAi) fitFormat(out, drops);
    else drop('service_tier');
  }
  const { stop, user } = out;
  if (Array.isArray(stop) && stop.length > maxStops) {
    out['stop'] = stop.slice(0, maxStops);
    drops.add('stop', `the service accepts ${maxStops} of them: the first`);
  }
  if (typeof user === 'string' && user.length > longestUser) out['user'] = sha256(user);
  if (service.isOpenAi && isReasoningModel(service.model)) {
    drop('stop', 'this model does not support stop sequences');
    for (const name of ['temperature', 'top_p']) if (out[name] !== 1) drop(name, 'this model does not support sampling parameters');
  }
  return out;
}

function rename(out: Record<string, unknown>, from: string, to: string): void {
  if (out[from] === undefined || out[to] !== undefined) return;
  out[to] = out[from];
  delete out[from];
}

/** Reports the effort, or the thinking that it was made from. */
function stopReasoning(out: Record<string, unknown>, body: JsonObject, drops: Drops): void {
  const name = body['reasoning_effort'] === undefined ? 'thinking' : 'reasoning_effort';
  const requestedEffort = out['reasoning_effort'] ?? 'none';
  if (requestedEffort !== 'none') drops.add(name, 'this model calls functions in chat completions only without reasoning');
  out['reasoning_effort'] = 'none';
}

function fitEffort(out: Record<string, unknown>, { model }: PlainService, drops: Drops): void {
  const effort = out['reasoning_effort'];
  const served = typeof effort === 'string' && isReasoningModel(model) ? servedEffort(model, effort) : effort;
  if (served === effort) return;
  out['reasoning_effort'] = served;
  drops.add('reasoning_effort', `sent as ${String(served)}`);
}

function fitFormat(out: Record<string, unknown>, drops: Drops): void {
  const format = out['response_format'];
  const inner = isJsonObject(format) ? format['json_schema'] : undefined;
  if (!isJsonObject(format) || !isJsonObject(inner)) return;
  const json_schema = withFittingStrict(inner, inner['schema'], 'response_format.json_schema.', drops);
  out['response_format'] = { ...format, json_schema };
}

/** Converts `thinking` to `reasoning_effort`. Models that cannot reason reject both, so both are dropped for them. */
function thinkingOf(out: Record<string, unknown>, { model }: PlainService, drop: (name: string, reason: string) => void): void {
  const { thinking, reasoning_effort: effort } = out;
  if (!isReasoningModel(model)) {
    drop('thinking', 'the gateway does not know this model as a reasoning model');
    drop('reasoning_effort', 'the gateway does not know this model as a reasoning model');
    return;
  }
  if (isJsonObject(thinking) && (thinking['type'] === 'disabled' || thinking['budget_tokens'] === 0)) {
    if (!canStopReasoning(model)) drop('thinking', 'this model cannot stop reasoning');
    else if (effort !== 'none') drop('reasoning_effort', 'thinking is disabled');
    out['reasoning_effort'] ??= canStopReasoning(model) ? 'none' : 'low';
    delete out['thinking'];
    return;
  }
  const budgetEffort = isJsonObject(thinking) ? effortFor(thinking) : undefined;
  if (effort === undefined && budgetEffort !== undefined) out['reasoning_effort'] = budgetEffort;
  if (effort !== undefined && isJsonObject(thinking) && thinking['budget_tokens'] !== undefined) {
    drop('thinking', 'reasoning_effort is sent instead');
    return;
  }
  delete out['thinking'];
}

/** Without a budget the model's default applies. */
function effortFor({ budget_tokens: budget }: JsonObject): string | undefined {
  if (typeof budget !== 'number') return undefined;
  return budget < 2048 ? 'low' : budget < 16_384 ? 'medium' : 'high';
}
