import { merge, type JsonObject } from '../../../core/json/merge.ts';
import type { PartialTimeouts, RetryPolicy } from '../../../core/snapshot.ts';
import { type CachePolicy, defaultMaxAge } from '../../../core/target/cache-policy.ts';
import type { ConfigEntry } from '../../schema/index.ts';
import { deepFreeze } from '../freeze.ts';
import { compileTimeouts } from '../timeouts.ts';
import { type Circuit, compileCircuit } from './circuit.ts';
import { compileRetry, type RetryEntry } from './status-codes.ts';

/** Settings that a node of a target tree passes down to its targets. */
export interface InheritedSettings {
  /** Merged member by member; the nearest value wins. */
  readonly override: JsonObject | undefined;
  /** The nearest definition replaces the others as a whole. */
  readonly retry: RetryPolicy;
  readonly circuit: Circuit | undefined;
  readonly cache: CachePolicy | undefined;
  /** Timeouts, inherited one by one; the nearest value wins. */
  readonly timeouts: PartialTimeouts;
  /** The nearest definition wins. */
  readonly customHost: string | undefined;
  readonly forwardHeaders: readonly string[] | undefined;
  readonly strict: boolean | undefined;
  readonly showsReasoning: boolean | undefined;
  /** Reference to a stored prompt. */
  readonly prompt: string | undefined;
}

/** Settings above the root of a config: defaults only. */
export const defaultSettings = (): InheritedSettings => ({
  override: undefined,
  retry: compileRetry(undefined),
  circuit: undefined,
  cache: undefined,
  timeouts: Object.freeze({}),
  customHost: undefined,
  forwardHeaders: undefined,
  strict: undefined,
  showsReasoning: undefined,
  prompt: undefined,
});

/**
 * Settings of a node: its own values, and inherited ones where it has none. Whatever many targets may share is compiled
 * here, once.
 *
 * @param tree name of the config, or its text when it was sent with a request
 */
export function inherit(above: InheritedSettings, entry: ConfigEntry, tree: string, path: string): InheritedSettings {
  const override = overrideOf(entry);
  const circuit = entry.strategy?.cb_config;
  return {
    override: override === undefined ? above.override : deepFreeze(merge(above.override ?? {}, override)),
    retry: entry.retry === undefined ? above.retry : compileRetry(entry.retry as RetryEntry),
    circuit: circuit === undefined ? above.circuit : compileCircuit(circuit, tree, path),
    cache: entry.cache === undefined ? above.cache : compileCache(entry.cache),
    timeouts: Object.freeze({ ...above.timeouts, ...compileTimeouts(entry.timeouts, entry.request_timeout) }),
    customHost: entry.custom_host ?? above.customHost,
    forwardHeaders: entry.forward_headers === undefined ? above.forwardHeaders : lowerCase(entry.forward_headers),
    strict: entry.strict_compliance ?? above.strict,
    showsReasoning: entry.reasoning_content ?? above.showsReasoning,
    prompt: entry.prompt_id ?? above.prompt,
  };
}

const compileCache = ({ max_age: seconds = defaultMaxAge }: NonNullable<ConfigEntry['cache']>): CachePolicy =>
  Object.freeze({ maxAgeMs: seconds * 1000 });

/** `labels` is short for `override_params.labels` and is merged at its own level. */
function overrideOf(entry: ConfigEntry): JsonObject | undefined {
  const { override_params: params, labels } = entry;
  if (labels === undefined) return params;
  return merge(params ?? {}, { labels });
}

function lowerCase(names: readonly string[]): readonly string[] {
  return Object.freeze(names.map((name) => name.toLowerCase()));
}
