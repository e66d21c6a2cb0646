import type { ModelEvent } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { cacheLifetimes, wholeCount } from '../../../core/model/openai-usage.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { finishReasons } from '../response/finish.ts';
import { finishReasonOf } from '../../shared/response/stop-reason.ts';

/** Stop reason for each of OpenAI's finish reasons, and for others that services of its format use. */
const reasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  model_length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
  sensitive: 'refusal',
  model_context_window_exceeded: 'model_context_window_exceeded',
};

/** The API's own stop reasons that are more specific than OpenAI's. They are preferred if both mean the same. */
const nativeStopReasons: ReadonlySet<string> = new Set([
  'max_tokens',
  'stop_sequence',
  'pause_turn',
  'compaction',
  'refusal',
  'model_context_window_exceeded',
]);

/** Fields that are sent at the end. Others are not kept: a stream may send ever new ones. */
const endMembers = ['stop_sequence', 'stop_details', 'container', 'context_management'] as const;

/** Collects what is sent at the end of a response: stop reason and usage. */
export class Ending {
  usage: Usage | undefined;
  isRefused = false;
  #finish: Extract<ModelEvent, { type: 'finish' }> | undefined;
  #extras: JsonObject = {};

  get isKnown(): boolean {
    return this.#finish !== undefined;
  }

  /** A service may send a second finish reason. The last one is used. */
  finish(event: Extract<ModelEvent, { type: 'finish' }>): void {
    this.#finish = event;
  }

  extra(fields: JsonObject): void {
    for (const key of endMembers) if (fields[key] !== undefined) this.#extras = { ...this.#extras, [key]: fields[key] };
  }

  fields(calls: number): { readonly delta: JsonObject; readonly usage: JsonObject; readonly more: JsonObject } {
    const { stop_sequence: sequence, stop_details: details, container, context_management: edits } = this.#extras;
    const delta = {
      stop_reason: this.#reason(calls),
      stop_sequence: sequence ?? null,
      ...(details === undefined ? {} : { stop_details: details }),
      ...(container === undefined ? {} : { container }),
    };
    return { delta, usage: usageOf(this.usage), more: edits === undefined ? {} : { context_management: edits } };
  }

  /** A response with calls must end with `tool_use` even if the service reports another normal end. */
  #reason(calls: number): string {
    const { reason = 'stop', raw } = this.#finish ?? {};
    if (raw !== undefined && nativeStopReasons.has(raw) && finishReasonOf(finishReasons, raw, 0) === reason) return raw;
    const stopReason = Object.hasOwn(reasons, reason) ? (reasons[reason] ?? 'end_turn') : 'end_turn';
    if (stopReason !== 'end_turn') return stopReason === 'tool_use' && calls === 0 ? 'end_turn' : stopReason;
    return this.isRefused ? 'refusal' : calls > 0 ? 'tool_use' : 'end_turn';
  }
}

/** The API counts cache reads and writes separately from the input. */
function usageOf(usage: Usage | undefined): JsonObject {
  const cached = wholeCount(usage?.cached);
  const cacheWrite = wholeCount(usage?.cacheWrite);
  const reasoning = wholeCount(usage?.reasoning);
  const lifetimes = usage === undefined ? undefined : cacheLifetimes(usage);
  return {
    input_tokens: Math.max(0, wholeCount(usage?.prompt) - cached - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    ...(lifetimes === undefined ? {} : { cache_creation: lifetimes }),
    cache_read_input_tokens: cached,
    output_tokens: Math.max(wholeCount(usage?.completion), reasoning),
    ...(reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}
