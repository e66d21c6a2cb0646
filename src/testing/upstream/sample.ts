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

/** Instead of an object that the sample provider does not find. */
const emptyAnswer: LocalAnswer = { status: 200, headers: {}, pieces: [{ text: '{}' }] };

/**
 * The success of a provider whose content the test leaves open. The format of the provider is not involved: the response
 * is one in the format of the client.
 *
 * @param sampleProvider a provider that responds without a network
 * @returns undefined for a route that this provider does not have
 */
export function sampleFor(attempt: Attempt, sampleProvider: Provider): Sample | undefined {
  const call = attempt.call;
  const operation = call === undefined ? undefined : sampleProvider.operations[call.endpoint];
  if (call === undefined || operation === undefined) return undefined;
  const { endpoint, method, strict, stream, includeUsage, params, query, id, createdAt, credential } = call;
  const sampleCall: Call<CommonSettings> = {
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
  const translation = operation.begin(
    method === 'GET' ? emptyBody : JsonBody.of({ ...request, model: sampleCall.model, stream }),
    sampleCall,
  );
  const answer = translation.local?.(translation.request);
  if (answer === undefined) return undefined;
  return { answer: answer.status < 300 ? answer : emptyAnswer, tap: translation.tap };
}
