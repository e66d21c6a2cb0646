import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { Usage } from '../../core/model/usage.ts';

/** Members that are read from `usage`; events may contain any number of others. */
const members = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens_details',
  'cache_creation',
  'server_tool_use',
  'service_tier',
] as const;

/**
 * Usage of a messages response. Streams report it twice: later counts are totals and replace the earlier ones if they are set.
 * `input_tokens` does not include cache reads and writes.
 */
export class UsageCounts {
  readonly #found: Record<string, unknown> = {};

  add(usage: unknown): void {
    if (!isPlain(usage)) return;
    for (const name of members) {
      const value = usage[name];
      if (value !== null && value !== undefined) this.#found[name] = value;
    }
  }

  /** Undefined if nothing was reported. */
  get usage(): Usage | undefined {
    const input = count(this.#found['input_tokens']);
    const output = count(this.#found['output_tokens']);
    if (input === undefined && output === undefined) return undefined;
    const cached = count(this.#found['cache_read_input_tokens']) ?? 0;
    const cacheWrite = count(this.#found['cache_creation_input_tokens']) ?? 0;
    const details = this.#found['output_tokens_details'];
    const reasoning = isPlain(details) ? count(details['thinking_tokens']) : undefined;
    return {
      prompt: (input ?? 0) + cached + cacheWrite,
      completion: output ?? 0,
      cached,
      cacheWrite,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...detailsOf(this.#found),
    };
  }
}

/** Cache writes with a lifetime of one hour, searches by the service, and the tier if it is not the regular one. */
function detailsOf(found: Plain): Pick<Usage, 'details'> {
  const { cache_creation: writes, server_tool_use: tools, service_tier: tier } = found;
  const hour = isPlain(writes) ? (count(writes['ephemeral_1h_input_tokens']) ?? 0) : 0;
  const searches = isPlain(tools) ? (count(tools['web_search_requests']) ?? 0) : 0;
  const isSpecial = typeof tier === 'string' && tier !== 'standard' && tier !== '';
  if (hour + searches === 0 && !isSpecial) return {};
  return {
    details: {
      ...(hour === 0 ? {} : { cache_write_1h: hour }),
      ...(searches === 0 ? {} : { web_searches: searches }),
      ...(isSpecial ? { tier: tier.slice(0, 32) } : {}),
    },
  };
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
