import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Usage } from '../../core/model/usage.ts';
import { objectsIn } from '../shared/json.ts';
import { tokenCount } from '../shared/usage.ts';

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
  'iterations',
] as const;

/** Members that count the prompt. */
const promptMembers: readonly string[] = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/**
 * Usage of a messages response. Streams report it twice: later counts are totals and replace the earlier ones if they are set.
 * `input_tokens` does not include cache reads and writes.
 */
export class UsageCounts {
  readonly #found: Record<string, unknown> = {};

  add(usage: unknown): void {
    if (!isJsonObject(usage)) return;
    // Some services write zeros for the prompt at the end of a stream. A total does not shrink, so the earlier counts hold.
    const hasNoPrompt = promptMembers.every((name) => !isPositive(usage[name]));
    for (const name of members) {
      const value = usage[name];
      if (value === null || value === undefined) continue;
      if (hasNoPrompt && promptMembers.includes(name) && isPositive(this.#found[name])) continue;
      this.#found[name] = value;
    }
  }

  /** Undefined if nothing was reported. */
  get usage(): Usage | undefined {
    const found = this.#found;
    if (tokenCount(found['input_tokens']) === undefined && tokenCount(found['output_tokens']) === undefined) return undefined;
    const [input, output, cached, cacheWrite, hour] = withCompactions(found);
    const details = found['output_tokens_details'];
    const reasoning = isJsonObject(details) ? tokenCount(details['thinking_tokens']) : undefined;
    return {
      prompt: input + cached + cacheWrite,
      completion: output,
      cached,
      cacheWrite,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...detailsOf(found, hour),
    };
  }
}

type Counts = readonly [input: number, output: number, cached: number, cacheWrite: number, cacheWriteOfHour: number];

function countsOf(usage: JsonObject): Counts {
  const writes = usage['cache_creation'];
  return [
    tokenCount(usage['input_tokens']) ?? 0,
    tokenCount(usage['output_tokens']) ?? 0,
    tokenCount(usage['cache_read_input_tokens']) ?? 0,
    tokenCount(usage['cache_creation_input_tokens']) ?? 0,
    isJsonObject(writes) ? (tokenCount(writes['ephemeral_1h_input_tokens']) ?? 0) : 0,
  ];
}

/**
 * Adds the tokens with which the API has summarized a long context. They are charged, but the totals do not include them (Messages
 * API, `usage.iterations`).
 */
function withCompactions(usage: JsonObject): Counts {
  let [input, output, cached, cacheWrite, hour] = countsOf(usage);
  for (const one of objectsIn(usage['iterations'])) {
    if (one['type'] !== 'compaction') continue;
    const more = countsOf(one);
    input += more[0];
    output += more[1];
    cached += more[2];
    cacheWrite += more[3];
    hour += more[4];
  }
  return [input, output, cached, cacheWrite, hour];
}

/** Cache writes with a lifetime of one hour, searches by the service, and the tier if it is not the regular one. */
function detailsOf({ server_tool_use: tools, service_tier: tier }: JsonObject, hour: number): Pick<Usage, 'details'> {
  const searches = isJsonObject(tools) ? (tokenCount(tools['web_search_requests']) ?? 0) : 0;
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

const isPositive = (value: unknown): boolean => (tokenCount(value) ?? 0) > 0;
