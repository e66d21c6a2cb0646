import type { Dialect, DialectCall, DialectWriter } from '../../core/dialect.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { faultError, GatewayError, type ProviderFault } from '../../core/error.ts';
import type { ModelEvent, WireEvent } from '../../core/events.ts';
import { parseExact } from '../../core/json/scan.ts';
import { isPlain } from '../../core/json/merge.ts';
import type { Attempt, Flow, FlowConsumer, Outcome, UpstreamReply } from '../../core/plan.ts';
import type { Call, CommonSettings, Translation } from '../../core/provider.ts';
import type { StreamTransform } from '../../core/stream.ts';
import type { Tap } from '../../core/tap.ts';
import { FlowOver } from './flow-over.ts';
import { convertLines } from './lines.ts';

/**
 * The full lane: turns a success of a provider that speaks another format into the client's. Called before anybody
 * judges the outcome, so that an answer which can't be converted still moves a fallback. Whole answers are converted
 * here; a stream is converted as it flows.
 *
 * @param warnings for the client: what is told of the response is added
 */
export function convertOutcome(outcome: Outcome, dialect: Dialect, warnings: string[]): Outcome {
  return streamedWhole(converted(outcome, dialect), dialect, warnings);
}

function converted(outcome: Outcome, dialect: Dialect): Outcome {
  if (outcome.kind !== 'answered' || outcome.attempt.lane !== 'full' || outcome.reply.status >= 300)
    return convertLines(outcome.attempt.translation?.mend === undefined ? outcome : mended(outcome), unconvertible);
  const { attempt, reply, times } = outcome;
  const { translation, call } = attempt;
  if (translation?.lines !== undefined && reply.flow !== undefined) return convertLines(outcome, unconvertible);
  if (translation === undefined || call === undefined) return outcome;
  try {
    return {
      ...outcome,
      reply: reply.flow === undefined ? whole(outcome, translation, call, dialect) : stream(outcome, translation, call, dialect),
    };
  } catch (thrown) {
    reply.flow?.abort();
    const fault = unconvertible(attempt, thrown);
    return { kind: 'faulty', attempt, times, fault, status: fault.status, tap: reply.tap };
  }
}

/** A whole answer of a service that ignored that a stream was asked for: it was paid, so it is written as one. */
function streamedWhole(outcome: Outcome, dialect: Dialect, warnings: string[]): Outcome {
  if (outcome.kind !== 'answered' || outcome.reply.flow !== undefined || outcome.reply.status >= 300) return outcome;
  const { attempt, reply, times } = outcome;
  const { call } = attempt;
  if (call?.stream !== true) return outcome;
  const write = dialect.streamed?.[call.endpoint];
  const { slug } = attempt.binding;
  const isNeverStreamed = attempt.translation?.result !== undefined && attempt.translation.reader === undefined;
  const warning = isNeverStreamed
    ? `Provider "${slug}" does not stream this route: its whole response was sent as a stream.`
    : `Provider "${slug}" ignored that a stream was asked for, and sent a whole response.`;
  if (write === undefined) {
    warnings.push(warning);
    return outcome;
  }
  const answer = parseExact((reply.converted?.body ?? reply.body).toString('utf8'));
  const text = isPlain(answer) ? write(answer, dialectCall(attempt, call)) : undefined;
  if (text !== undefined) {
    warnings.push(warning);
    return { ...outcome, reply: { ...reply, converted: { contentType: eventStream, body: Buffer.from(text, 'utf8') } } };
  }
  const type = reply.headers['content-type'] ?? '';
  const fault = new GatewayError('upstream_invalid', {
    message: `The provider returned "${type}" although a stream was requested.`,
    source: 'provider',
  });
  return { kind: 'faulty', attempt, times, fault, status: fault.status, tap: reply.tap };
}

const eventStream = 'text/event-stream; charset=utf-8';

/** An answer whose bytes pass, with what its service left out. */
function mended(outcome: Outcome): Outcome {
  if (outcome.kind !== 'answered' || outcome.reply.status >= 300 || outcome.reply.flow !== undefined) return outcome;
  const { attempt, reply } = outcome;
  // What a step before made of it is whole already.
  if (reply.converted !== undefined) return outcome;
  const text = attempt.translation?.mend?.(reply.body.toString('utf8'));
  if (text === undefined) return outcome;
  return { ...outcome, reply: { ...reply, status: 200, converted: { contentType: 'application/json', body: Buffer.from(text, 'utf8') } } };
}

type AnyCall = Call<CommonSettings>;
type Answered = Outcome & { readonly kind: 'answered' };

function whole({ attempt, reply }: Answered, translation: Translation, call: AnyCall, dialect: Dialect): UpstreamReply {
  if (translation.result === undefined || reply.converted !== undefined) return reply;
  const isObject = traitsOf(call.endpoint).state !== undefined;
  if (reply.body.length === 0 && !isObject) return reply;
  const result = translation.result(reply.body.toString('utf8'), reply.tap?.answer);
  // Objects that are kept somewhere answer 200 whatever their provider says of having made or deleted them,
  // and have no place for the name of a provider.
  const text = isObject ? undefined : dialect.answer?.(result, dialectCall(attempt, call));
  const body = Buffer.from(text ?? JSON.stringify(result), 'utf8');
  return { ...reply, status: isObject ? 200 : reply.status, converted: { contentType: 'application/json', body } };
}

function stream({ attempt, reply }: Answered, translation: Translation, call: AnyCall, dialect: Dialect): UpstreamReply {
  const { flow, tap } = reply;
  const read = translation.reader?.();
  const write = dialect.write?.(dialectCall(attempt, call));
  if (flow === undefined || read === undefined || write === undefined) return reply;
  return {
    ...reply,
    flow: new ConvertedFlow(flow, { attempt, tap, read, write }),
    converted: { contentType: eventStream, body: undefined },
  };
}

function dialectCall(attempt: Attempt, call: AnyCall): DialectCall {
  return {
    strict: call.strict,
    showsReasoning: call.showsReasoning,
    asksForFunctions: call.asksForFunctions,
    includeUsage: call.includeUsage,
    provider: attempt.binding.provider.type,
    model: call.model,
    id: call.id,
    createdAt: call.createdAt,
  };
}

/** A fault that a translator found is its own word; anything else it throws says only that the answer was not understood. */
export function unconvertible(attempt: Attempt, thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && thrown.code !== 'internal') return thrown;
  const { slug } = attempt.binding;
  return new GatewayError('upstream_invalid', {
    message: `The response of provider "${slug}" has an unexpected format and could not be converted.`,
    source: 'provider',
    cause: thrown,
  });
}

/** A provider's error in words of ours: who failed, then what it said. */
export function faultText(attempt: Attempt, fault: ProviderFault): string {
  return attempt.lane === 'full' ? `${attempt.binding.provider.type} error: ${fault.message}` : fault.message;
}

interface Conversion {
  readonly attempt: Attempt;
  readonly tap: Tap | undefined;
  /** The provider's events to the hub, and the hub to the client's text. */
  readonly read: StreamTransform<WireEvent, ModelEvent>;
  readonly write: DialectWriter;
}

/** A flow whose events are converted on their way: the text of one read of the socket leaves in one piece. */
class ConvertedFlow extends FlowOver {
  readonly #conversion: Conversion;
  #isOver = false;
  /** Text since the last hand-over, and what the writer said last, once it had failed. */
  #text = '';
  #lastWords = '';

  constructor(flow: Flow, conversion: Conversion) {
    super(flow);
    this.#conversion = conversion;
  }

  into(consumer: FlowConsumer): void {
    this.below.into({
      data: (_, events) => this.#step(consumer, () => this.#events(events)),
      end: (_, events) => this.#step(consumer, () => this.#end(events), true),
      fault: (error) => this.#step(consumer, () => this.#fail(error)),
    });
  }

  #step(consumer: FlowConsumer, work: () => void, isLast = false): void {
    if (this.#isOver) return;
    const { attempt, write } = this.#conversion;
    try {
      work();
    } catch (thrown) {
      this.#broken(consumer, unconvertible(attempt, thrown));
      if (this.#isOver) return;
    }
    const text = this.#text;
    this.#text = '';
    const { failure } = write;
    if (failure === undefined && !isLast) {
      if (text !== '') consumer.data(Buffer.from(text, 'utf8'), []);
      return;
    }
    this.#isOver = true;
    if (failure === undefined) {
      consumer.end(Buffer.from(text, 'utf8'), []);
      return;
    }
    if (text !== '') consumer.data(Buffer.from(text, 'utf8'), []);
    this.below.abort();
    consumer.fault(failure, Buffer.from(this.#lastWords, 'utf8'));
  }

  /** Says in the client's format that the answer could not be converted; where not even that can be said, the flow breaks. */
  #broken(consumer: FlowConsumer, error: GatewayError): void {
    try {
      this.#pieces(this.#conversion.write.fail(error));
    } catch {
      this.#isOver = true;
      this.below.abort();
      consumer.fault(error);
    }
  }

  #events(events: readonly WireEvent[]): void {
    const { read } = this.#conversion;
    for (const event of events) this.#models(read.push(event));
  }

  #end(events: readonly WireEvent[]): void {
    const { attempt, tap, read, write } = this.#conversion;
    const fault = tap?.fault;
    if (fault !== undefined) {
      this.#fail(faultError(fault, { message: faultText(attempt, fault) }));
      return;
    }
    this.#events(events);
    this.#models(read.end());
    this.#pieces(write.end());
  }

  #fail(error: GatewayError): void {
    const { read, write } = this.#conversion;
    this.#models(read.fail(error));
    this.#pieces(write.fail(error));
  }

  #models(events: Iterable<ModelEvent>): void {
    const { attempt, write } = this.#conversion;
    for (const event of events) {
      if (event.type === 'note') attempt.call?.notes?.keep(event.note);
      else this.#pieces(write.push(event));
    }
  }

  #pieces(pieces: Iterable<string>): void {
    const hasFailed = this.#conversion.write.failure !== undefined;
    for (const piece of pieces) {
      if (hasFailed) this.#lastWords += piece;
      else this.#text += piece;
    }
  }
}
