import type { Clock } from '../../core/context.ts';
import type { Dialect } from '../../core/dialect.ts';
import { dialectOf } from '../../core/endpoint.ts';
import { fromUnknown, GatewayError } from '../../core/error.ts';
import { MemoryBudget } from '../../core/memory/budget.ts';
import type { ExplainRequest } from '../../core/logs/explanation.ts';
import { type Attempt, type Outcome, type Reply, timesNotSent } from '../../core/plan.ts';
import type { Leaf, Snapshot, Trust } from '../../core/snapshot.ts';
import { dialects } from '../../formats/index.ts';
import { finalOf } from '../../pipeline/response/final.ts';
import type { Chain } from '../../pipeline/chain.ts';
import { Execution, firstTry } from '../../pipeline/execute.ts';
import type { Generation } from '../../pipeline/generation.ts';
import { scheduleNow } from '../../core/async/schedule.ts';
import { RequestContext } from '../../pipeline/request.ts';
import { type DryArrival, bodyOf, bytesOf } from './arrival.ts';
import { createDrySender, type DryAttempt } from './dry-sender.ts';

/** One visited target. */
export interface Visit {
  readonly leaf: Leaf;
  readonly attempt: Attempt | undefined;
  /** The upstream request with its credential; undefined when none would be made. */
  readonly sent: DryAttempt | undefined;
  /**
   * `here`: the request is sent to it; `left`: tried, then left because of an assumed response; `later`: used if all
   * targets before it are left.
   */
  readonly when: 'here' | 'left' | 'later';
  readonly tries: number;
  /** Why it was left, or why it is not tried. */
  readonly because: string | undefined;
  readonly error: GatewayError | undefined;
}

/** A target to which nothing is sent because of an error. */
export const failedVisit = (leaf: Leaf, error: GatewayError): Visit => ({
  leaf,
  attempt: undefined,
  sent: undefined,
  when: 'later',
  tries: 0,
  because: undefined,
  error,
});

/** Result of running a request through the whole chain without sending it. */
export interface DryRun {
  readonly ctx: RequestContext;
  readonly visits: readonly Visit[];
  /** Warnings to the caller, collected before later targets were examined. */
  readonly warnings: readonly string[];
  /** Body of a request that is passed through. */
  readonly relayed: Buffer | undefined;
  /** Response that the gateway makes without a provider. */
  readonly answer: Reply | undefined;
  readonly error: GatewayError | undefined;
}

export interface DryRunDeps {
  readonly generation: Generation;
  /** Snapshot of the generation, with substitute secrets that let a request use a named key. */
  readonly snapshot: Snapshot;
  readonly clock: Clock;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
}

/** Memory budget of one explanation, in bytes. */
const budgetBytes = 256 * 1024 * 1024;
/** Most targets shown. */
const maxVisits = 32;

/** Runs a request through the chain of real traffic up to the point of sending. */
export async function dryRun(request: ExplainRequest, { arrival, fault }: DryArrival, deps: DryRunDeps): Promise<DryRun> {
  const ctx = new RequestContext(arrival, deps.snapshot, new MemoryBudget(budgetBytes), 'dry');
  const runner = new DryRunner(request, ctx, deps);
  try {
    if (fault !== undefined) throw fault;
    return await runner.run();
  } catch (thrown) {
    return runner.result({ error: fromUnknown(thrown) });
  } finally {
    ctx.hold.close();
  }
}

class DryRunner {
  readonly #request: ExplainRequest;
  readonly #ctx: RequestContext;
  readonly #deps: DryRunDeps;
  readonly #chain: Chain;
  readonly #dialect: Dialect;
  readonly #sent: DryAttempt[] = [];
  readonly #visits: Visit[] = [];

  constructor(request: ExplainRequest, ctx: RequestContext, deps: DryRunDeps) {
    this.#request = request;
    this.#ctx = ctx;
    this.#deps = deps;
    this.#chain = deps.generation.chains.chainFor(ctx.calledEndpoint);
    this.#dialect = dialects[dialectOf(ctx)];
  }

  async run(): Promise<DryRun> {
    const ctx = this.#ctx;
    await this.#chain.admit(ctx);
    ctx.receive(bodyOf(this.#request, ctx, this.#deps.snapshot));
    const plan = await this.#chain.plan(ctx);
    if ('answer' in plan) return this.result({ answer: plan.answer });
    ctx.plan = plan;
    const run = this.#execution();
    let reply: Reply | undefined;
    try {
      reply = await run.run();
    } finally {
      this.#visitHistory(run);
    }
    if (reply !== undefined) return this.#resultOfReply(run, reply);
    const warnings = [...ctx.warnings];
    await this.#visitLater(run);
    return { ...this.result({}), warnings };
  }

  result({ answer, error }: { readonly answer?: Reply; readonly error?: GatewayError }): DryRun {
    const { received } = this.#ctx;
    const passThroughBody = received.kind === 'passing' && this.#request.body !== undefined ? bytesOf(this.#request.body) : undefined;
    return { ctx: this.#ctx, visits: this.#visits, warnings: [...this.#ctx.warnings], relayed: passThroughBody, answer, error };
  }

  #execution(): Execution {
    const { clock, checkEgress, generation } = this.#deps;
    return new Execution(this.#ctx, {
      chain: this.#chain,
      send: createDrySender({ assume: this.#request.assume ?? {}, onSent: (sent) => this.#sent.push(sent), checkEgress }),
      monotonic: clock.monotonic,
      schedule: scheduleNow,
      isolation: generation.isolation,
      mask: (bytes) => bytes,
      dialect: this.#dialect,
      reply: (run) => this.#reply(run),
    });
  }

  #reply(run: Execution): Reply {
    const final = finalOf(run, this.#dialect);
    const made = { headers: [], flow: undefined };
    return final.kind === 'error'
      ? { ...made, status: final.error.status, body: Buffer.alloc(0) }
      : { ...made, status: final.reply.status, body: final.reply.body };
  }

  /** Result when a plugin responded, all targets were left, or one rejected the request for good. */
  #resultOfReply(run: Execution, reply: Reply): DryRun {
    if (run.last === undefined) return this.result({ answer: reply });
    const final = finalOf(run, this.#dialect);
    if (final.kind === 'error') return this.result({ error: final.error });
    return this.result({ answer: reply });
  }

  #visitHistory(run: Execution): void {
    for (const outcome of run.attempts) {
      const { attempt } = outcome;
      const before = this.#visits.at(-1);
      const tries = before?.leaf === attempt.target ? before.tries + 1 : 1;
      if (tries > 1) this.#visits.pop();
      this.#visits.push({
        leaf: attempt.target,
        attempt,
        sent: this.#sent.find((each) => each.attempt === attempt),
        when: outcome.kind === 'cancelled' ? 'here' : 'left',
        tries,
        because: run.reasonOf(outcome),
        error: outcome.kind === 'refused' ? outcome.error : undefined,
      });
    }
  }

  /** Examines the targets that would follow if the ones before them were unreachable. */
  async #visitLater(run: Execution): Promise<void> {
    const ctx = this.#ctx;
    const history: Outcome[] = run.history.map((outcome) => (outcome.kind === 'cancelled' ? unreachableOutcome(outcome.attempt) : outcome));
    for (let leaf = ctx.plan.after(history); leaf !== undefined; leaf = ctx.plan.after(history)) {
      if (this.#visits.length >= maxVisits || history.some(({ attempt }) => attempt.target === leaf)) return;
      await yieldToEventLoop();
      try {
        history.push(await this.#later(run, leaf));
      } catch (thrown) {
        // A defect of a plugin here does not concern the target that the request goes to. No target is tried after it.
        this.#visits.push(failedVisit(leaf, fromUnknown(thrown)));
        return;
      }
    }
  }

  async #later(run: Execution, leaf: Leaf): Promise<Outcome> {
    const ctx = this.#ctx;
    const visit = { leaf, when: 'later', tries: 0, sent: undefined, because: undefined, error: undefined } as const;
    const because = this.#chain.skip(ctx, leaf)?.because;
    const screened = because === undefined ? await this.#chain.screen(ctx, leaf) : undefined;
    const prepared = await run.prepare(firstTry(leaf));
    const attempt = 'kind' in prepared ? prepared.attempt : prepared;
    const error =
      screened !== undefined && 'refuse' in screened
        ? screened.refuse
        : 'kind' in prepared && prepared.kind === 'refused'
          ? prepared.error
          : undefined;
    if (because !== undefined || error !== undefined) {
      this.#visits.push({ ...visit, attempt, because, error });
    } else if (attempt.upstream !== undefined) {
      const signed = (await attempt.credential?.headers(attempt.upstream)) ?? [];
      this.#visits.push({ ...visit, attempt, sent: { attempt, signed } });
    }
    return because === undefined ? unreachableOutcome(attempt) : { kind: 'skipped', attempt, times: noTimes, because };
  }
}

/** Yields to the event loop, so that streams of a running gateway are not delayed: a large body takes time for each target. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const noTimes = timesNotSent(0);

/** An outcome on which every chain moves on, whatever statuses it lists. */
const unreachableOutcome = (attempt: Attempt): Outcome => ({
  kind: 'unreachable',
  attempt,
  times: noTimes,
  cause: new Error('not sent'),
  sent: false,
});
