import { fromUnknown, GatewayError } from '../core/error.ts';
import { joinHeaders } from '../core/http/headers.ts';
import { checkModels, rulesFor } from '../core/model/model-rules.ts';
import { checkPath, pathOf } from '../core/http/plain-path.ts';
import { type Answered, type Attempt, is2xx, type Outcome, type Times, type UpstreamReply } from '../core/plan.ts';
import { isConverting, type StepReply, type Translation } from '../core/provider.ts';
import type { ApiKey, Timeouts } from '../core/snapshot.ts';
import { unconvertible } from './response/convert.ts';

/** Maximum number of requests of one attempt (`Translation.then`). */
const maxSteps = 4;

/** Dependencies of the follow-up requests. */
export interface StepDeps {
  send(attempt: Attempt): Promise<Outcome>;
  isCancelled(): boolean;
  warn(text: string): void;
  /** The key whose list of allowed models applies to further requests. */
  readonly key: ApiKey | undefined;
}

/**
 * Performs a call that needs several requests: passes each 2xx response to `Translation.then`, which returns the next
 * request, or undefined after the last one. All of them are one attempt, with one entry in the history, one credential and
 * one timeout. If a later request fails, the translation may still make a response from the previous ones.
 */
export async function followUp(first: Outcome, deps: StepDeps): Promise<Outcome> {
  const sequence = new StepSequence(deps);
  let outcome = first;
  while (isWhole(outcome) && sequence.count < maxSteps) {
    const next = sequence.next(outcome);
    if (next === undefined) return outcome;
    if ('kind' in next) return sequence.failed(next);
    if (deps.isCancelled()) return { kind: 'cancelled', attempt: next, times: outcome.times };
    outcome = sequence.withTotalTimes(await deps.send(next));
  }
  if (!is2xx(outcome)) return sequence.failed(outcome);
  return isReadable(outcome) ? outcome : sequence.failed(tooLarge(outcome));
}

/** The requests of one attempt so far. */
class StepSequence {
  readonly #deps: StepDeps;
  #count = 1;
  #first: Answered | undefined;
  #hasWritten = false;

  constructor(deps: StepDeps) {
    this.#deps = deps;
  }

  /** Number of sent requests, including the one in progress. */
  get count(): number {
    return this.#count;
  }

  /** The next request as an attempt, undefined after the last one, or the outcome of an error that `then` threw. */
  next(outcome: Answered): Attempt | Outcome | undefined {
    const { attempt, times } = outcome;
    let next: Translation | undefined;
    try {
      next = attempt.translation?.then?.(stepReply(outcome.reply));
      checkModels(rulesFor(this.#deps.key, attempt.binding, attempt.target), next?.request.models);
      if (next !== undefined) checkPath(pathOf(next.request));
    } catch (thrown) {
      return thrownBy(attempt, times, thrown);
    }
    if (next === undefined) return undefined;
    const first = (this.#first ??= outcome);
    this.#count += 1;
    this.#hasWritten ||= attempt.upstream?.method !== 'GET' && attempt.upstream?.method !== 'HEAD';
    for (const warning of next.request.warnings ?? []) this.#deps.warn(warning);
    return stepOf(attempt, next, { timeouts: remainingTimeouts(first.attempt.timeouts, times.totalMs), hasWritten: this.#hasWritten });
  }

  /** Times of all requests together: from the start of the first to the end of the last. */
  withTotalTimes(outcome: Outcome): Outcome {
    const first = this.#first?.times ?? outcome.times;
    const times: Times = { ...first, totalMs: outcome.times.at + outcome.times.totalMs - first.at };
    return { ...outcome, times };
  }

  /** The response that the translation makes although the last request failed, or else the failure. */
  failed(outcome: Outcome): Outcome {
    const { attempt, times } = outcome;
    const { translation } = attempt;
    const first = this.#first;
    if (first === undefined || outcome.kind === 'cancelled' || translation?.recover === undefined) return outcome;
    const last = outcome.kind === 'answered' ? stepReply(outcome.reply) : { status: 0, headers: {}, text: '' };
    let known: unknown;
    try {
      known = translation.recover(last);
    } catch (thrown) {
      return thrownBy(attempt, times, thrown);
    }
    if (known === undefined) return outcome;
    this.#deps.warn(`The request succeeded, but its result could not be read (${reasonOf(outcome)}): the response contains what is known.`);
    const body = Buffer.from(JSON.stringify(known), 'utf8');
    const reply: UpstreamReply = { ...first.reply, status: 200, converted: { contentType: 'application/json', body } };
    return { kind: 'answered', attempt, times, reply };
  }
}

/** The remaining time for further requests. A timeout of 0 would expire at once, which is correct. */
function remainingTimeouts(timeouts: Timeouts, spentMs: number): Timeouts {
  const left = (ms: number): number => Math.max(0, ms - spentMs);
  return { ...timeouts, total: left(timeouts.total), request: timeouts.request === undefined ? undefined : left(timeouts.request) };
}

/** The same attempt with another request. It keeps the dropped parameters and the running timeouts. */
function stepOf(attempt: Attempt, translation: Translation, more: Required<Pick<Attempt, 'timeouts' | 'hasWritten'>>): Attempt {
  const upstream = translation.request;
  const headers = attempt.forwarded === undefined ? upstream.headers : joinHeaders(upstream.headers, attempt.forwarded);
  return {
    ...attempt,
    ...more,
    translation,
    isFollowUp: true,
    lane: isConverting(translation) ? 'full' : attempt.lane,
    upstream: { ...upstream, headers, dropped: [...(attempt.upstream?.dropped ?? []), ...upstream.dropped] },
  };
}

const stepReply = ({ status, headers, body }: UpstreamReply): StepReply => ({ status, headers, text: body.toString('utf8') });

const isWhole = (outcome: Outcome): outcome is Answered => is2xx(outcome) && outcome.reply.flow === undefined;

/** False for a response that a next request depends on, but that was not buffered: too large, or a stream. */
function isReadable({ attempt, reply }: Answered): boolean {
  if (reply.flow === undefined || reply.tap?.form === 'bytes') return true;
  return attempt.translation?.then === undefined && reply.headers['content-type']?.startsWith('text/event-stream') === true;
}

function tooLarge({ attempt, times, reply }: Answered): Outcome {
  reply.flow?.abort();
  const fault = new GatewayError('upstream_invalid', {
    message: 'The response is too large to be read before the next request, or is a stream.',
    source: 'provider',
  });
  return { kind: 'faulty', attempt, times, fault };
}

function thrownBy(attempt: Attempt, times: Times, thrown: unknown): Outcome {
  const error = fromUnknown(thrown);
  if (error.code !== 'internal') return { kind: 'refused', attempt, times, error };
  const fault = unconvertible(attempt, thrown);
  return { kind: 'faulty', attempt, times, fault };
}

/** Text for the warning, without the provider's message. */
const reasonOf = (outcome: Outcome): string => (outcome.kind === 'answered' ? `status ${outcome.reply.status}` : outcome.kind);
