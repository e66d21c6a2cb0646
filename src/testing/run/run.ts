import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { GatewayError } from '../../core/error.ts';
import { MemoryBudget } from '../../core/memory/budget.ts';
import type { Send } from '../../core/plan.ts';
import type { Provider } from '../../core/provider.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { Trust } from '../../core/snapshot.ts';
import { createRedactor, type References } from '../../explain/dry-run/references.ts';
import { SubstituteKeys } from '../../explain/dry-run/substitute-keys.ts';
import { dialects } from '../../formats/index.ts';
import type { Generation } from '../../pipeline/generation.ts';
import { Handling } from '../../pipeline/handle.ts';
import { InFlightByKey } from '../../pipeline/in-flight.ts';
import { GroupCommit, type Masking } from '../../pipeline/record/group-commit.ts';
import { createSender } from '../../transport/outbound/sender.ts';
import type { TestCase } from '../test-case.ts';
import { Script } from '../upstream/script.ts';
import type { SimulatedClock } from '../upstream/simulated-clock.ts';
import { outcomeOf, type TestOutcome } from './outcome.ts';
import { RecordedClient } from './recorded-client.ts';
import { incomingRequest } from './request.ts';

export interface RunDeps {
  /** Created for this test: it has no state of other tests, and opens no connection. */
  readonly generation: Generation;
  readonly clock: SimulatedClock;
  /** Responds without a network: the content of a success that the test leaves open. */
  readonly sampleProvider: Provider;
  readonly references: References;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
}

/** Memory of one request, in bytes. */
const budgetBytes = 256 * 1024 * 1024;
/** Most bytes of a response that the record keeps: none is read. */
const retainedBytes = 0;

/**
 * Sends the request of a test through the pipeline of real traffic, with scripted providers and in simulated time.
 *
 * @throws GatewayError when the test names a key that does not exist
 * @throws Error when the request does not end, or when the gateway or a plugin fails
 */
export async function runTest(test: TestCase, deps: RunDeps): Promise<TestOutcome> {
  const { generation, clock, sampleProvider, references } = deps;
  const keys = new SubstituteKeys(generation.snapshot);
  const script = new Script(test.upstream, { sampleProvider, later: clock.later });
  const client = new RecordedClient();
  const budget = new MemoryBudget(budgetBytes);
  const defects: unknown[] = [];
  const onDefect = (error: unknown): void => void defects.push(error);
  let record: LogRecord | undefined;
  const handling = new Handling(
    incomingRequest(test.request, client, keys, clock),
    { value: { ...generation, snapshot: keys.snapshot }, release: () => undefined },
    {
      send: script.wrapSend(senderOf(script, budget, deps)),
      commit: new GroupCommit(() => undefined, unmasked, onDefect, clock.monotonic),
      inFlightLimiter: new InFlightByKey(),
      budget,
      dialects,
      monotonic: clock.monotonic,
      schedule: clock.later,
      mode: 'dry',
      enter: () => undefined,
      onDefect,
      onFinished: (finished) => (record = finished),
      onReleased: () => undefined,
    },
  );
  handling.start();
  const finished = await waitForEnd(() => record, clock);
  const hide = createRedactor(references, keys.snapshot.secrets);
  if (defects.length > 0) throw new Error(`the gateway or a plugin failed: ${hide(reasonOf(defects[0]))}`);
  return outcomeOf(client, finished, script, hide);
}

/** A plugin of the operator may throw anything. The chain wraps its error. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message;
}

/** The sender of real traffic, without a network. */
function senderOf(script: Script, budget: MemoryBudget, { generation, clock, checkEgress }: RunDeps): Send {
  const { server } = generation.snapshot;
  return createSender({
    upstream: script.upstream,
    sweeper: clock.sweeper,
    clock,
    schedule: clock.later,
    egress: { check: checkEgress },
    passed: () => undefined,
    onEcho: () => undefined,
    maxRecorded: () => retainedBytes,
    maxResponse: () => server.maxResponse,
    budget,
    maxInFlight: () => server.maxInFlight,
  });
}

/** No bodies are kept, so none are masked. */
const unmasked: Masking = { add: ({ done }) => done(undefined, {}), flush: () => undefined };

/** Turns of the event loop in which work that needs no time has ended: plugins, conversions, the group commit. */
const turns = 4;
/** Longest real duration of one request, in milliseconds. Reached only by a plugin that waits for something else. */
const maxWaitMs = 10_000;

/** Lets the simulated time pass whenever the request waits for it. */
async function waitForEnd(record: () => LogRecord | undefined, clock: SimulatedClock): Promise<LogRecord> {
  const startedAt = performance.now();
  for (;;) {
    for (let i = 0; i < turns; i += 1) await turn();
    const finished = record();
    if (finished !== undefined) return finished;
    if (performance.now() - startedAt > maxWaitMs) throw new Error(`the request did not end within ${maxWaitMs / 1000} s`);
    if (!clock.advance()) await sleep(1);
  }
}
