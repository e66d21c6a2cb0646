import type { Flow, FlowConsumer, KeptBody } from '../../core/plan.ts';

/** A flow that rewrites the data of another one. The underlying flow still controls pause, resume and abort. */
export abstract class FlowWrapper implements Flow {
  protected readonly inner: Flow;

  constructor(below: Flow) {
    this.inner = below;
  }

  abstract into(consumer: FlowConsumer): void;

  /** The provider's bytes before the rewrite, for the record. */
  get kept(): KeptBody {
    return this.inner.kept;
  }

  pause(): void {
    this.inner.pause();
  }

  resume(): void {
    this.inner.resume();
  }

  abort(): void {
    this.inner.abort();
  }
}
