import { createMask } from '../core/secrets/mask.ts';
import { errorCatalogue, GatewayError, type ErrorCode, type ErrorDetails, errorMessage } from '../core/error.ts';
import { ratedCaller, type RateLimiter } from '../core/limits/rates.ts';
import type { MemoryReservation } from '../core/memory/budget.ts';
import type { ObjectOwners } from '../core/objects/owners.ts';
import type { JwtSettings, JwtVerifier } from '../core/secrets/jwt.ts';
import { type MediaSigner, type Moment, moments, type Plugin, type PluginHost, type PluginInstance } from '../core/plugin.ts';
import type { Media, MediaNeed } from '../core/provider.ts';
import type { LogRecord } from '../core/records/record.ts';
import { didYouMean, nearest } from '../core/text/nearest.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { Chains, type NamedInstance } from './chain.ts';
import { withTimeout } from '../core/async/with-timeout.ts';
import { Isolation } from './isolation/index.ts';
import type { SharedState, SharedStateLease } from './shared-state.ts';
import type { RequestContext } from './request.ts';

/** One entry of the chain as the configuration names it. */
export interface ChainEntry {
  readonly plugin: Plugin;
  readonly options: unknown;
}

/** One plugin of a chain as operators see it. */
export interface ChainStep {
  readonly name: string;
  readonly moments: readonly Moment[];
}

/** A snapshot, its plugins, and the mask for its secrets. Replaced as a whole. */
export interface Generation {
  readonly snapshot: Snapshot;
  readonly chains: Chains;
  /** All plugins of the chain, in order, including those that the configuration does not need to list. */
  readonly steps: readonly ChainStep[];
  /** Set if a provider has `isolate: true`. */
  readonly isolation: Isolation | undefined;
  maskBytes(bytes: Buffer): Buffer;
  /** Closes what its plugins opened, in reverse order. Rejects after the last one with the errors that plugins threw. */
  dispose(): Promise<void>;
}

export interface GenerationDeps {
  readonly host: HostDeps;
  /** Needed if a provider has `isolate: true`. */
  readonly owners?: ObjectOwners | undefined;
  monotonic(): number;
  mask(secrets: readonly string[]): (bytes: Buffer) => Buffer;
}

/** The functions for plugins that the process provides. */
export interface HostDeps {
  now(): number;
  sha256(text: string): string;
  media(needs: readonly MediaNeed[], hold: MemoryReservation, signer: MediaSigner): Promise<ReadonlyMap<string, Media>>;
  spent(caller: string, sinceDay: number): bigint;
  readonly rates: RateLimiter;
  jwt(settings: JwtSettings): JwtVerifier;
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  request(record: LogRecord): void;
}

/**
 * How long a plugin may take for `setup` and for `dispose`, in milliseconds. Without a limit, a start, reload or shutdown could
 * wait forever.
 */
const timeLimits = { setup: 60_000, dispose: 5_000 } as const;

/**
 * Sets the plugins of a snapshot up, in order. If one fails, those before it are disposed in reverse order and the
 * failure is thrown; the current generation is not affected.
 */
export async function createGeneration(
  snapshot: Snapshot,
  entries: readonly ChainEntry[],
  deps: GenerationDeps,
  shared: SharedState,
): Promise<Generation> {
  const instances: NamedInstance[] = [];
  const uses = shared.begin();
  const dispose = async (): Promise<void> => {
    const faults: unknown[] = [];
    for (const { name, instance } of instances.toReversed()) {
      try {
        await withTimeout<unknown>(instance.dispose?.(), timeLimits.dispose, () => {
          throw new Error(`plugin "${name}" did not shut down within ${timeLimits.dispose / 1000} s`);
        });
      } catch (thrown) {
        faults.push(thrown);
      }
    }
    uses.release();
    if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults, 'several plugins failed to shut down');
  };
  for (const { plugin, options } of entries) {
    try {
      if (plugin.neededFor?.(snapshot) === false) continue;
      const starting = plugin.setup(options, hostFor(plugin.name, deps.host, uses));
      const instance: PluginInstance | undefined = await withTimeout(starting, timeLimits.setup, () => {
        disposeLater(starting);
        throw new Error(`its setup did not end within ${timeLimits.setup / 1000} s`);
      });
      if (typeof instance !== 'object' || instance === null) throw new Error('its setup returned no object with moments');
      const { name, endpoints, provides } = plugin;
      instances.push({ name, endpoints, provides, instance });
      checkMoments(plugin, instance);
    } catch (cause) {
      await dispose().catch((err: unknown) => deps.host.warn({ err }, 'a plugin failed to shut down'));
      const why = createMask(snapshot.secrets).text(errorMessage(cause));
      throw new Error(`plugin "${plugin.name}" could not be set up: ${why}`, { cause });
    }
  }
  const isolation = deps.owners === undefined ? undefined : new Isolation(deps.owners);
  const chains = new Chains(instances, deps.monotonic);
  const steps = instances.map(({ name, instance }) => ({ name, moments: moments.filter((moment) => instance[moment] !== undefined) }));
  return { snapshot, chains, steps, isolation, maskBytes: deps.mask(snapshot.secrets), dispose };
}

/** Disposes of a plugin whose setup ends too late. Its errors are ignored. */
function disposeLater(starting: PluginInstance | Promise<PluginInstance>): void {
  Promise.resolve(starting)
    .then((late) => late?.dispose?.())
    .catch(() => {});
}

const knownMembers: ReadonlySet<string> = new Set([...moments, 'dispose']);

/** `gateway check` relies on the declarations of a plugin, so they must be true. @throws Error */
function checkMoments({ moments: declared }: Plugin, instance: PluginInstance): void {
  for (const [name, value] of Object.entries(instance)) {
    const suggestion = typeof value !== 'function' || knownMembers.has(name) ? undefined : nearest(name, moments);
    if (suggestion !== undefined) throw new Error(`it implements "${name}", which is no moment. Did you mean "${suggestion}"?`);
  }
  if (declared === undefined) return;
  for (const moment of moments) {
    const isImplemented = instance[moment] !== undefined;
    if (isImplemented === declared.includes(moment)) continue;
    throw new Error(
      isImplemented
        ? `it implements "${moment}" without declaring it in moments`
        : `it declares "${moment}" in moments without implementing it`,
    );
  }
}

function hostFor(name: string, host: HostDeps, uses: SharedStateLease): PluginHost {
  return {
    shared: (key, ...state) => uses.get(`${name}:${key}`, ...state),
    now: host.now,
    sha256: host.sha256,
    media: host.media,
    spent: host.spent,
    countRequest: (caller, rate) => host.rates.take(ratedCaller(name, caller), rate),
    jwt: host.jwt,
    // Plugins always get the request object itself.
    note: (ctx, fields) => (ctx as RequestContext).note(name, fields),
    error: (code: ErrorCode, details: ErrorDetails) => {
      if (!Object.hasOwn(errorCatalogue, code))
        throw new TypeError(`"${code}" is not an error code.${didYouMean(code, Object.keys(errorCatalogue))}`);
      return new GatewayError(code, details);
    },
    log: {
      warn: (fields, message) => host.warn({ plugin: name, ...fields }, message),
      debug: (fields, message) => host.debug({ plugin: name, ...fields }, message),
      request: host.request,
    },
  };
}
