import type { Dialect, DialectCall, DialectWriter } from '../../core/dialect.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { faultError, GatewayError, type ProviderFault } from '../../core/error.ts';
import type { ModelEvent, WireEvent } from '../../core/events.ts';
import { notAStream } from '../../core/provider/not-a-stream.ts';
import { parseExact } from '../../core/json/scan.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { Answered, Attempt, Flow, FlowConsumer, Outcome, UpstreamReply } from '../../core/plan.ts';
import type { Call, CommonSettings, Translation } from '../../core/provider.ts';
import type { StreamTransform } from '../../core/stream.ts';
import type { Tap } from '../../core/tap.ts';
import { FlowWrapper } from './flow-wrapper.ts';
import { convertLines } from './lines.ts';
import { withProvider } from './named-provider.ts';
import { RepairedFlow } from './repaired-flow.ts';

/**
 * The full lane: converts a successful response of a provider with another format into the client's format. Runs before
 * the outcome is judged, so that a response that cannot be converted still triggers the fallback. Whole responses are
 * converted here; a stream is converted while it flows.
 *
 * @param warnings for the client; warnings about the response are appended
 */
export function convertOutcome(outcome: Outcome, dialect: Dialect, warnings: string[]): Outcome {
  return asStream(convertResponse(outcome, dialect, warnings), dialect, warnings);
}

function convertResponse(outcome: Outcome, dialect: Dialect, warnings: string[]): Outcome {
  if (outcome.kind !== 'answered' || outcome.attempt.lane !== 'full' || outcome.reply.status >= 300)
    return convertLines(repaired(outcome), unconvertible);
  const { attempt, reply, times } = outcome;
  const { translation, call } = attempt;
  if (translation?.lines !== undefined && reply.flow !== undefined) return convertLines(outcome, unconvertible);
  if (translation === undefined || call === undefined) return outcome;
  const convert = reply.flow === undefined ? convertWhole : convertStream;
  try {
    const { endpoint } = call;
    const writing: Writing = { ...dialectCall(attempt, call), endpoint, warn: (text) => void warnings.push(text) };
    return { ...outcome, reply: convert(outcome, translation, dialect, writing) };
  } catch (thrown) {
    reply.flow?.abort();
    const fault = unconvertible(attempt, thrown);
    return { kind: 'faulty', attempt, times, fault, tap: reply.tap };
  }
}

/** The service ignored `stream` and sent a whole response. The response is already paid for, so it is rewritten as a stream. */
function asStream(outcome: Outcome, dialect: Dialect, warnings: string[]): Outcome {
  if (outcome.kind !== 'answered' || outcome.reply.flow !== undefined || outcome.reply.status >= 300) return outcome;
  const { attempt, reply, times } = outcome;
  const { call } = attempt;
  if (call?.stream !== true) return outcome;
  const write = dialect.streamed?.[call.endpoint];
  const { slug } = attempt.binding;
  const isNeverStreamed = attempt.translation?.result !== undefined && attempt.translation.reader === undefined;
  const warning = isNeverStreamed
    ? `Provider "${slug}" does not stream this route: its complete response was converted to a stream.`
    : `Provider "${slug}" ignored "stream" and sent a complete response.`;
  if (write === undefined) {
    warnings.push(warning);
    return outcome;
  }
  const response = parseExact((reply.converted?.body ?? reply.body).toString('utf8'));
  const text = isJsonObject(response) ? write(response, dialectCall(attempt, call)) : undefined;
  if (text !== undefined) {
    warnings.push(warning);
    return { ...outcome, reply: { ...reply, converted: { contentType: eventStream, body: Buffer.from(text, 'utf8') } } };
  }
  const type = reply.headers['content-type'] ?? '';
  const message = "The provider's response has an unexpected format and could not be converted to a stream.";
  const fault = notAStream(type) ?? new GatewayError('upstream_invalid', { message, source: 'provider' });
  return { kind: 'faulty', attempt, times, fault, tap: reply.tap };
}

const eventStream = 'text/event-stream; charset=utf-8';

/** A response that is forwarded, with what its service omitted or writes in another form. */
function repaired(outcome: Outcome): Outcome {
  const { translation } = outcome.attempt;
  if (translation === undefined || outcome.kind !== 'answered' || outcome.reply.status >= 300) return outcome;
  const { reply } = outcome;
  if (reply.flow !== undefined) {
    const { repairEvent } = translation;
    return repairEvent === undefined ? outcome : { ...outcome, reply: { ...reply, flow: new RepairedFlow(reply.flow, repairEvent) } };
  }
  // A response that an earlier step converted is already complete.
  if (translation.repair === undefined || reply.converted !== undefined) return outcome;
  const text = translation.repair(reply.body.toString('utf8'));
  if (text === undefined) return outcome;
  return { ...outcome, reply: { ...reply, status: 200, converted: { contentType: 'application/json', body: Buffer.from(text, 'utf8') } } };
}

type AnyCall = Call<CommonSettings>;

type Writing = DialectCall & Pick<Call, 'endpoint'>;

function convertWhole({ reply }: Answered, translation: Translation, dialect: Dialect, call: Writing): UpstreamReply {
  if (translation.result === undefined || reply.converted !== undefined) return reply;
  const isObject = traitsOf(call.endpoint).state !== undefined;
  if (reply.body.length === 0 && !isObject) return reply;
  const result = translation.result(reply.body.toString('utf8'), reply.tap?.answer);
  // Object routes return 200 whatever status the provider used for creating or deleting, and their format has no field
  // for the provider's name.
  const text = isObject ? undefined : dialect.answer?.(result, call);
  const body = Buffer.from(text ?? JSON.stringify(result), 'utf8');
  return { ...reply, status: isObject ? 200 : reply.status, converted: { contentType: 'application/json', body } };
}

function convertStream({ attempt, reply }: Answered, translation: Translation, dialect: Dialect, call: Writing): UpstreamReply {
  const { flow, tap } = reply;
  const read = translation.reader?.();
  const write = dialect.write?.(call);
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
    echo: attempt.translation?.echo,
  };
}

/** Keeps a fault that a translator detected. Any other error only means that the response was not understood. */
export function unconvertible(attempt: Attempt, thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && thrown.code !== 'internal') return thrown;
  const { slug } = attempt.binding;
  return new GatewayError('upstream_invalid', {
    message: `The response of provider "${slug}" has an unexpected format and could not be converted.`,
    source: 'provider',
    cause: thrown,
  });
}

/** The error text for a provider's fault. In the full lane it starts with the provider's type. */
export function faultText(attempt: Attempt, fault: ProviderFault): string {
  return attempt.lane === 'full' ? `${attempt.binding.provider.type} error: ${fault.message}` : fault.message;
}

interface Conversion {
  readonly attempt: Attempt;
  readonly tap: Tap | undefined;
  /** Converts the provider's events to hub events; `write` converts those to the client's text. */
  readonly read: StreamTransform<WireEvent, ModelEvent>;
  readonly write: DialectWriter;
}

/** A flow that converts events as they arrive. Events of one socket read are written in one piece. */
class ConvertedFlow extends FlowWrapper {
  readonly #conversion: Conversion;
  #hasEnded = false;
  /** Text since the last write to the consumer, and the text that the writer produced after it had failed. */
  #text = '';
  #finalBytes = '';

  constructor(flow: Flow, conversion: Conversion) {
    super(flow);
    this.#conversion = conversion;
  }

  into(consumer: FlowConsumer): void {
    this.inner.into({
      data: (_, events) => this.#step(consumer, () => this.#events(events)),
      end: (_, events) => this.#step(consumer, () => this.#end(events), true),
      fault: (error) => this.#step(consumer, () => this.#fail(withProvider(this.#conversion.attempt, error))),
    });
  }

  #step(consumer: FlowConsumer, work: () => void, isLast = false): void {
    if (this.#hasEnded) return;
    const { attempt, write } = this.#conversion;
    try {
      work();
    } catch (thrown) {
      this.#writeConversionError(consumer, unconvertible(attempt, thrown));
      if (this.#hasEnded) return;
    }
    const text = this.#text;
    this.#text = '';
    const { failure } = write;
    if (failure === undefined && !isLast) {
      if (text !== '') consumer.data(Buffer.from(text, 'utf8'), []);
      return;
    }
    this.#hasEnded = true;
    if (failure === undefined) {
      consumer.end(Buffer.from(text, 'utf8'), []);
      return;
    }
    if (text !== '') consumer.data(Buffer.from(text, 'utf8'), []);
    this.inner.abort();
    consumer.fault(failure, Buffer.from(this.#finalBytes, 'utf8'));
  }

  /** Writes a conversion error in the client's format. If that fails too, the flow breaks off. */
  #writeConversionError(consumer: FlowConsumer, error: GatewayError): void {
    try {
      this.#appendText(this.#conversion.write.fail(error));
    } catch {
      this.#hasEnded = true;
      this.inner.abort();
      consumer.fault(error);
    }
  }

  #events(events: readonly WireEvent[]): void {
    const { read } = this.#conversion;
    for (const event of events) this.#writeModelEvents(read.push(event));
  }

  #end(events: readonly WireEvent[]): void {
    const { attempt, tap, read, write } = this.#conversion;
    const fault = tap?.fault;
    if (fault !== undefined) {
      this.#fail(faultError(fault, { message: faultText(attempt, fault) }));
      return;
    }
    this.#events(events);
    this.#writeModelEvents(read.end());
    this.#appendText(write.end());
  }

  #fail(error: GatewayError): void {
    const { read, write } = this.#conversion;
    this.#writeModelEvents(read.fail(error));
    this.#appendText(write.fail(error));
  }

  #writeModelEvents(events: Iterable<ModelEvent>): void {
    const { attempt, write } = this.#conversion;
    for (const event of events) {
      if (event.type === 'note') attempt.call?.notes?.keep(event.note);
      else this.#appendText(write.push(event));
    }
  }

  #appendText(pieces: Iterable<string>): void {
    const hasFailed = this.#conversion.write.failure !== undefined;
    for (const piece of pieces) {
      if (hasFailed) this.#finalBytes += piece;
      else this.#text += piece;
    }
  }
}
