import type { JsonObject } from '../../../core/json/merge.ts';
import { openaiUsage, tierField, wholeCount } from '../../../core/model/openai-usage.ts';
import type { Usage } from '../../../core/model/usage.ts';

/** What a response object is built from, besides its output. */
export interface ResponseFacts {
  readonly id: string;
  readonly model: string;
  readonly createdAt: number;
  /** Members that repeat the request. */
  readonly echo: JsonObject;
}

/** The reason why a response is incomplete, for OpenAI's finish reasons of chat completions. */
const incomplete: ReadonlyMap<string, string> = new Map([
  ['length', 'max_output_tokens'],
  ['model_length', 'max_output_tokens'],
  ['model_context_window_exceeded', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
  ['sensitive', 'content_filter'],
]);

/** True if a finish reason means that the model was stopped. */
export const isCutBy = (reason: string): boolean => incomplete.has(reason);

/** A response that is in progress: the object of the first events. */
export const openResponse = (facts: ResponseFacts): JsonObject => responseObject(facts, { status: 'in_progress' });

/** A response that has ended, with the status that belongs to the finish reason. */
export function endedResponse(facts: ResponseFacts, reason: string, output: readonly JsonObject[], usage: Usage | undefined): JsonObject {
  const cause = incomplete.get(reason);
  return responseObject(facts, {
    status: cause === undefined ? 'completed' : 'incomplete',
    incomplete_details: cause === undefined ? null : { reason: cause },
    output,
    usage: usage === undefined ? null : responseUsage(usage),
    ...(usage === undefined ? {} : tierField(usage)),
  });
}

function responseObject({ id, model, createdAt, echo }: ResponseFacts, state: JsonObject): JsonObject {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    background: false,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    previous_response_id: null,
    store: false,
    usage: null,
    ...echo,
    ...state,
  };
}

/** Usage with the names of the API. */
function responseUsage(usage: Usage): JsonObject {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = openaiUsage(usage);
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens: prompt_tokens_details.cached_tokens, cache_write_tokens: wholeCount(usage.cacheWrite) },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens: completion_tokens_details.reasoning_tokens },
    total_tokens,
  };
}
