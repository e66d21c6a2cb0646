import { expect, it } from 'vitest';
import { GatewayError } from '../../core/error.ts';
import type { LineEdit } from '../../core/http/form.ts';
import type { Attempt, Flow, FlowConsumer, Outcome } from '../../core/plan.ts';
import { convertLines } from './lines.ts';

/** A flow that the test drives. */
class ManualFlow implements Flow {
  readonly kept = { pieces: [], size: 0, contentType: '', times: [] };
  consumer: FlowConsumer | undefined;
  isAborted = false;
  into(consumer: FlowConsumer): void {
    this.consumer = consumer;
  }
  pause(): void {}
  resume(): void {}
  abort(): void {
    this.isAborted = true;
  }
}

function answered(
  line: LineEdit | undefined,
  replyMembers: { status?: number; headers?: Record<string, string>; flow?: Flow | undefined },
): Outcome {
  const attempt = { translation: { lines: line } } as unknown as Attempt;
  const reply = { status: 200, headers: {}, body: Buffer.alloc(0), flow: undefined, tap: undefined, ...replyMembers };
  return { kind: 'answered', attempt, times: { at: 0, connectMs: 0, firstByteMs: 0, totalMs: 0 }, reply };
}

const fault = (_: Attempt, error: unknown): GatewayError =>
  error instanceof GatewayError ? error : new GatewayError('upstream_invalid', { message: 'not converted', source: 'provider' });

/** Everything that the consumer receives. */
function receivedFrom(flow: Flow): string[] {
  const received: string[] = [];
  flow.into({
    data: (bytes) => received.push(`data ${bytes.toString()}`),
    end: (tail) => received.push(`end ${tail.toString()}`),
    fault: (error) => received.push(`fault ${error.code} ${error.message}`),
  });
  return received;
}

function flowOf(outcome: Outcome): Flow {
  if (outcome.kind !== 'answered' || outcome.reply.flow === undefined) throw new Error('no flow');
  return outcome.reply.flow;
}

const empty = Buffer.alloc(0);

it('converts each line, regardless of how the stream is split into chunks', () => {
  const flow = new ManualFlow();
  const outcome = convertLines(
    answered((line, index) => `${index}${line}`, { flow }),
    fault,
  );
  expect(outcome).toMatchObject({ reply: { converted: { contentType: 'application/jsonl', body: undefined } } });
  const received = receivedFrom(flowOf(outcome));
  flow.consumer?.data(Buffer.from('a\nb'), []);
  flow.consumer?.data(Buffer.from('c'), []);
  flow.consumer?.data(Buffer.from('\nd'), []);
  flow.consumer?.end(Buffer.from('e'), []);
  expect(received).toEqual(['data 0a\n', 'data 1bc\n', 'end 2de']);
});

it('ends the response with stream_interrupted and aborts the provider if a line cannot be converted', () => {
  const flow = new ManualFlow();
  const outcome = convertLines(
    answered(
      (line) => {
        if (line === 'bad') throw new RangeError('no');
        return line;
      },
      { flow },
    ),
    fault,
  );
  const received = receivedFrom(flowOf(outcome));
  flow.consumer?.data(Buffer.from('a\nbad\n'), []);
  flow.consumer?.data(Buffer.from('b\n'), []);
  flow.consumer?.end(empty, []);
  expect(received).toEqual(['fault stream_interrupted not converted']);
  expect(flow.isAborted).toBe(true);
});

it('reports one stream_interrupted error if the provider breaks off the stream', () => {
  const flow = new ManualFlow();
  const received = receivedFrom(
    flowOf(
      convertLines(
        answered((line) => line, { flow }),
        fault,
      ),
    ),
  );
  flow.consumer?.fault(new GatewayError('stream_interrupted', { message: 'broke' }));
  expect(received).toEqual(['fault stream_interrupted broke']);
});

it('does not change a response without a line edit, without a stream or with an error status', () => {
  for (const outcome of [
    answered(undefined, { flow: new ManualFlow() }),
    answered((line) => line, {}),
    answered((line) => line, { flow: new ManualFlow(), status: 404 }),
  ]) {
    expect(convertLines(outcome, fault)).toBe(outcome);
  }
});

it.each([
  ['a partial response (206)', { status: 206 }],
  ['a compressed response', { headers: { 'content-encoding': 'gzip' } }],
])('rejects %s with upstream_invalid', (_, replyMembers) => {
  const flow = new ManualFlow();
  expect(
    convertLines(
      answered((line) => line, { flow, ...replyMembers }),
      fault,
    ),
  ).toMatchObject({ kind: 'faulty', fault: { code: 'upstream_invalid' } });
  expect(flow.isAborted).toBe(true);
});
