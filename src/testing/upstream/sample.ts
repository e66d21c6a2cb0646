import { JsonBody, emptyBody } from '../../core/json/body.ts';
import type { Attempt } from '../../core/plan.ts';
import type { Call, CommonSettings, LocalAnswer, Provider } from '../../core/provider.ts';
import type { Tap } from '../../core/tap.ts';

/** A response in the format of the client, and the tap that reads it. */
export interface Sample {
  readonly answer: LocalAnswer;
  readonly tap: Tap;
}

/** Members that the APIs require. Each API ignores those of the others. */
const request = {
  messages: [{ role: 'user', content: 'scripted' }],
  input: 'scripted',
  prompt: 'scripted',
  voice: 'alloy',
  max_tokens: 100,
};

/** In place of an object that the answering provider does not find. */
const empty: LocalAnswer = { status: 200, headers: {}, pieces: [{ text: '{}' }] };

/**
 * The success of a provider whose content the test leaves open. The format of the provider is not involved: the response
 * is one in the format of the client.
 *
 * @param answering a provider that responds without a network
 * @returns undefined for a route that this provider does not have
 */
export function sampleFor(attempt: Attempt, answering: Provider): Sample | undefined {
  const call = attempt.call;
  const operation = call === undefined ? undefined : answering.operations[call.endpoint];
  if (call === undefined || operation === undefined) return undefined;
  const { endpoint, method, strict, stream, includeUsage, params, query, id, createdAt, credential } = call;
  const own: Call<CommonSettings> = {
    endpoint,
    method,
    strict,
    stream,
    includeUsage,
    params,
    query,
    id,
    createdAt,
    credential,
    settings: {} as CommonSettings,
    model: call.model === '' ? 'scripted' : call.model,
    deployment: undefined,
    foundationModel: undefined,
    header: () => undefined,
    form: undefined,
    media: new Map(),
  };
  const begun = operation.begin(method === 'GET' ? emptyBody : JsonBody.of({ ...request, model: own.model, stream }), own);
  const answer = begun.local?.(begun.request);
  if (answer === undefined) return undefined;
  return { answer: answer.status < 300 ? answer : empty, tap: begun.tap };
}
