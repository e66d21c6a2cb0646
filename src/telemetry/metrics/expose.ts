import { setImmediate as turn } from 'node:timers/promises';
import type { Sample } from './sample.ts';
import { labelText, type MetricRow, type Series } from './series.ts';

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** Number of lines written before yielding to the event loop. */
const linesPerTurn = 4000;

/** Writes the Prometheus text format, and yields to the event loop in between. */
export class Exposition {
  readonly #lines: string[] = [];
  #lastTurn = 0;

  /** @param series of one metric; writes nothing if empty */
  async family(row: MetricRow, series: Iterable<Series>): Promise<void> {
    let isBegun = false;
    for (const each of series) {
      if (!isBegun) this.#head(row);
      isBegun = true;
      this.#lines.push(...each.lines(row.name));
      if (this.#lines.length - this.#lastTurn > linesPerTurn) await this.#yield();
    }
  }

  /** @param samples of any metrics; samples of the same metric are written together */
  samples(rows: readonly MetricRow[], samples: readonly Sample[]): void {
    for (const row of rows) {
      const matching = samples.filter(([name]) => name === row.name);
      if (matching.length === 0) continue;
      this.#head(row);
      for (const [name, labels, value] of matching) this.#lines.push(`${name}${labelText(row.labels, labels)} ${value}`);
    }
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #head({ name, type, help }: MetricRow): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  async #yield(): Promise<void> {
    this.#lastTurn = this.#lines.length;
    await turn();
  }
}
