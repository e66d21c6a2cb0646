import { keyLocation, nodeAt } from '../config/read/node.ts';
import { GatewayError, errorMessage } from '../core/error.ts';
import type { Provider } from '../core/provider.ts';
import { failuresOf } from './expect/check.ts';
import { runTest, type RunDeps } from './run/run.ts';
import type { Failure, TestCase, TestResult } from './test-case.ts';
import { SimulatedClock } from './upstream/simulated-clock.ts';

export interface TesterDeps {
  /** Responds without a network. */
  readonly sampleProvider: Provider;
  /** Sets the configuration up for one test. */
  open(clock: SimulatedClock): Promise<Omit<RunDeps, 'clock' | 'sampleProvider'>>;
}

/** Runs tests one after the other. Each has its own generation, so that no state of plugins gets into another test. */
export class Tester {
  readonly #deps: TesterDeps;

  constructor(deps: TesterDeps) {
    this.#deps = deps;
  }

  /** @throws Error when a plugin can't be set up */
  async run(test: TestCase): Promise<TestResult> {
    const startedAt = performance.now();
    const clock = new SimulatedClock();
    const opened = await this.#deps.open(clock);
    const { generation } = opened;
    let failures: readonly Failure[];
    try {
      const outcome = await runTest(test, { ...opened, clock, sampleProvider: this.#deps.sampleProvider });
      failures = failuresOf(test.node, outcome, [...generation.snapshot.providers.keys()]);
    } catch (error) {
      failures = [failureOf(test, error)];
    } finally {
      await generation.dispose();
    }
    const at = nodeAt(test.node, ['name'])?.at ?? test.node.at;
    return { name: test.name, at, failures, ms: performance.now() - startedAt };
  }
}

/** A key that does not exist, a request that does not end, or an error of the gateway or a plugin. */
function failureOf({ node }: TestCase, error: unknown): Failure {
  const isKey = error instanceof GatewayError && nodeAt(node, ['request', 'key']) !== undefined;
  const got = errorMessage(error);
  return { what: 'request', expected: 'a response', got, at: keyLocation(node, isKey ? ['request', 'key'] : ['request']) };
}
