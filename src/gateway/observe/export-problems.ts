import type { Signal } from '../../telemetry/otlp/payload.ts';

const subjects = { traces: 'Traces', logs: 'Log records' } as const satisfies Record<Signal, string>;

/** Keeps a list of current problems in step with the collectors: one sentence for each signal that is not exported. */
export class ExportProblems {
  readonly #list: string[];
  readonly #shown = new Map<Signal, string>();

  constructor(list: string[]) {
    this.#list = list;
  }

  /** @param why undefined once the collector accepts exports, or is not configured any more */
  set(signal: Signal, why: string | undefined): void {
    const shown = this.#shown.get(signal);
    const problem = why === undefined ? undefined : `${subjects[signal]} are not exported to their collector: ${why}.`;
    if (problem === shown) return;
    if (shown !== undefined) this.#list.splice(this.#list.indexOf(shown), 1);
    this.#shown.delete(signal);
    if (problem === undefined) return;
    this.#list.push(problem);
    this.#shown.set(signal, problem);
  }
}
