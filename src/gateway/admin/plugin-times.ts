import type { PluginRecord } from '../../core/records/record.ts';
import type { Status } from '../../admin/api-types.ts';

/** Number of recent requests in the sample. */
const sampleSize = 256;

/** Time each plugin took in recent requests. Adding a request is one assignment; the statistics are computed on read. */
export class PluginTimes {
  readonly #last: (readonly PluginRecord[])[] = [];
  #at = 0;

  add(plugins: readonly PluginRecord[]): void {
    this.#last[this.#at] = plugins;
    this.#at = (this.#at + 1) % sampleSize;
  }

  /** @param chain the plugins in execution order */
  read(chain: readonly { readonly name: string; readonly moments: readonly string[] }[]): Status['plugins'] {
    return chain.map(({ name, moments }) => {
      const times = this.#last.flatMap((plugins) => sumOf(plugins, name)).toSorted((a, b) => a - b);
      return { name, moments, p50_ms: percentile(times, 0.5), p95_ms: percentile(times, 0.95) };
    });
  }
}

/** Sum over all moments of one request; empty if the plugin did not run. */
function sumOf(plugins: readonly PluginRecord[], name: string): number[] {
  const ofPlugin = plugins.filter((plugin) => plugin.name === name);
  return ofPlugin.length === 0 ? [] : [ofPlugin.reduce((sum, { ms }) => sum + ms, 0)];
}

function percentile(sorted: readonly number[], share: number): number | null {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return value === undefined ? null : Math.round(value * 1000) / 1000;
}
