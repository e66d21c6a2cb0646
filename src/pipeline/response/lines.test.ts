import { expect, it } from 'vitest';
import { GatewayError } from '../../core/error.ts';
import type { LineEdit } from '../../core/http/form.ts';
import type { Attempt, Flow, FlowConsumer, Outcome } from '../../core/plan.ts';
import { convertLines } from './lines.ts';

/** A flow that the test drives. */
class Fed implements Flow {
  readonly kept = { pieces: [], size: 0, times: [] };
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
  over: { status?: number; headers?: Record<string, string>; flow?: Flow | undefined },
): Outcome {
  const attempt = { translation: { lines: line } } as unknown as Attempt;
  const reply = { status: 200, headers: {}, body: Buffer.alloc(0), flow: undefined, tap: undefined, ...over };
  return { kind: 'answered', attempt, times: { at: 0, connectMs: 0, firstByteMs: 0, totalMs: 0 }, reply };
}

const fault = (_: Attempt, thrown: unknown): GatewayError =>
  thrown instanceof GatewayError ? thrown : new GatewayError('upstream_invalid', { message: 'not converted', source: 'provider' });

/** Everything that the consumer receives. */
function told(flow: Flow): string[] {
  const out: string[] = [];
  flow.into({
    data: (bytes) => out.push(`data ${bytes.toString()}`),
    end: (tail) => out.push(`end ${tail.toString()}`),
    fault: (error) => out.push(`fault ${error.code} ${error.message}`),
  });
  return out;
}

function flowOf(outcome: Outcome): Flow {
  if (outcome.kind !== 'answered' || outcome.reply.flow === undefined) throw new Error('no flow');
  return outcome.reply.flow;
}

const none = Buffer.alloc(0);

it('converts each line, regardless of how the stream is split into chunks', () => {
  const fed = new Fed();
  const outcome = convertLines(
    answered((line, index) => `${index}${line}`, { flow: fed }),
    fault,
  );
  expect(outcome).toMatchObject({ reply: { converted: { contentType: 'application/jsonl', body: undefined } } });
  const out = told(flowOf(outcome));
  fed.consumer?.data(Buffer.from('a\nb'), []);
  fed.consumer?.data(Buffer.from('c'), []);
  fed.consumer?.data(Buffer.from('\nd'), []);
  fed.consumer?.end(Buffer.from('e'), []);
  expect(out).toEqual(['data 0a\n', 'data 1bc\n', 'end 2de']);
});

it('ends the response with stream_interrupted and aborts the provider if a line cannot be converted', () => {
  const fed = new Fed();
  const outcome = convertLines(
    answered(
      (line) => {
        if (line === 'bad') throw new RangeError('no');
        return line;
      },
      { flow: fed },
    ),
    fault,
  );
  const out = told(flowOf(outcome));
  fed.consumer?.data(Buffer.from('a\nbad\n'), []);
  fed.consumer?.data(Buffer.from('b\n'), []);
  fed.consumer?.end(none, []);
  expect(out).toEqual(['fault stream_interrupted not converted']);
  expect(fed.isAborted).toBe(true);
});

it('reports one stream_interrupted error if the provider breaks off the stream', () => {
  const fed = new Fed();
  const out = told(
    flowOf(
      convertLines(
        answered((line) => line, { flow: fed }),
        fault,
      ),
    ),
  );
  fed.consumer?.fault(new GatewayError('stream_interrupted', { message: 'broke' }));
  expect(out).toEqual(['fault stream_interrupted broke']);
});

it('does not change a response without a line edit, without a stream or with an error status', () => {
  for (const outcome of [
    answered(undefined, { flow: new Fed() }),
    answered((line) => line, {}),
    answered((line) => line, { flow: new Fed(), status: 404 }),
  ]) {
    expect(convertLines(outcome, fault)).toBe(outcome);
  }
});

it.each([
  ['a partial response (206)', { status: 206 }],
  ['a compressed response', { headers: { 'content-encoding': 'gzip' } }],
])('rejects %s with upstream_invalid', (_, over) => {
  const fed = new Fed();
  expect(
    convertLines(
      answered((line) => line, { flow: fed, ...over }),
      fault,
    ),
  ).toMatchObject({ kind: 'faulty', fault: { code: 'upstream_invalid' } });
  expect(fed.isAborted).toBe(true);
});
