import type { Flow, FlowConsumer, KeptBody } from '../../core/plan.ts';

/** A flow that rewrites the data of another one. The underlying flow still controls pause, resume and abort. */
export abstract class FlowOver implements Flow {
  protected readonly below: Flow;

  constructor(below: Flow) {
    this.below = below;
  }

  abstract into(consumer: FlowConsumer): void;

  /** The provider's bytes before the rewrite, for the record. */
  get kept(): KeptBody {
    return this.below.kept;
  }

  pause(): void {
    this.below.pause();
  }

  resume(): void {
    this.below.resume();
  }

  abort(): void {
    this.below.abort();
  }
}
