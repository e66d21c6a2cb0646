import { fromUnknown, GatewayError } from '../../core/error.ts';
import { isEncoded } from '../../core/http/headers.ts';
import { LineRewriter } from '../../core/json/lines.ts';
import type { Attempt, Flow, FlowConsumer, Outcome } from '../../core/plan.ts';
import { FlowWrapper } from './flow-wrapper.ts';

/**
 * Converts each line of a response that is a file of lines (`Translation.lines`) while it flows. Called for every
 * outcome, and returns the outcome unchanged if there is nothing to convert.
 *
 * @param unconvertible makes the error for a response that could not be converted
 */
export function convertLines(outcome: Outcome, unconvertible: (attempt: Attempt, thrown: unknown) => GatewayError): Outcome {
  if (outcome.kind !== 'answered') return outcome;
  const { attempt, reply, times } = outcome;
  const edit = attempt.translation?.lines;
  if (edit === undefined || reply.flow === undefined || reply.status >= 300) return outcome;
  try {
    if (reply.status === 206 || isEncoded(reply.headers)) throw partialFileError();
    const flow = new LineFlow(reply.flow, new LineRewriter(edit), (thrown) => unconvertible(attempt, thrown));
    return { ...outcome, reply: { ...reply, flow, converted: { contentType: linesType, body: undefined } } };
  } catch (thrown) {
    reply.flow.abort();
    const fault = unconvertible(attempt, thrown);
    return { kind: 'faulty', attempt, times, fault };
  }
}

const linesType = 'application/jsonl';

function partialFileError(): GatewayError {
  return new GatewayError('upstream_invalid', {
    message: 'The provider sent a part of a file, or a compressed one, whose lines cannot be converted.',
    source: 'provider',
  });
}

/** A flow that rewrites each line. */
class LineFlow extends FlowWrapper {
  readonly #rewriter: LineRewriter;
  readonly #faultOf: (thrown: unknown) => GatewayError;
  #hasEnded = false;

  constructor(flow: Flow, rewriter: LineRewriter, faultOf: (thrown: unknown) => GatewayError) {
    super(flow);
    this.#rewriter = rewriter;
    this.#faultOf = faultOf;
  }

  into(consumer: FlowConsumer): void {
    this.inner.into({
      data: (bytes) => {
        const written = this.#written(consumer, () => this.#rewriter.push(bytes));
        if (written !== undefined && written.length > 0) consumer.data(written, []);
      },
      end: (tail) => {
        const written = this.#written(consumer, () => [...this.#rewriter.push(tail), ...this.#rewriter.end()]);
        if (written === undefined) return;
        this.#hasEnded = true;
        consumer.end(written, []);
      },
      fault: (error) => {
        if (!this.#hasEnded) consumer.fault(error);
        this.#hasEnded = true;
      },
    });
  }

  /** Undefined once the flow is over. A line that cannot be converted ends the flow. */
  #written(consumer: FlowConsumer, work: () => Buffer[]): Buffer | undefined {
    if (this.#hasEnded) return undefined;
    try {
      const pieces = work();
      return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    } catch (thrown) {
      this.#hasEnded = true;
      const error = this.#faultOf(thrown);
      this.inner.abort();
      consumer.fault(interrupted(error));
      return undefined;
    }
  }
}

/** The first lines were already sent, so the error is an interrupted stream. */
function interrupted(error: GatewayError): GatewayError {
  return new GatewayError('stream_interrupted', { message: fromUnknown(error).message, source: error.source, cause: error });
}
