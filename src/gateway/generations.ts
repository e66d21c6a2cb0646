import { pathToFileURL } from 'node:url';
import { compileSteps } from '../config/compile/index.ts';
import { runInSlices } from '../core/async/steps.ts';
import type { ValidConfig } from '../config/reload/load.ts';
import { createMask } from '../core/secrets/mask.ts';
import { sha256 } from '../core/secrets/sha256.ts';
import type { RateLimiter } from '../core/limits/rates.ts';
import type { ObjectOwners } from '../core/objects/owners.ts';
import type { Plugin } from '../core/plugin.ts';
import type { Provider } from '../core/provider.ts';
import { errorMessage } from '../core/error.ts';
import { throughHub } from '../formats/through-hub/index.ts';
import type { Registry } from './types.ts';
import { type ChainEntry, createGeneration, type Generation } from '../pipeline/generation.ts';
import { type PluginMessage, SharedState } from '../pipeline/shared-state.ts';
import { createPriceBook } from '../pricing/book.ts';
import { preloadPrices } from '../pricing/library.ts';
import type { Log } from '../telemetry/log.ts';
import type { Outbound } from '../transport/outbound/index.ts';

export interface GenerationsDeps {
  readonly registry: Registry;
  readonly log: Pick<Log, 'warn' | 'debug' | 'request'>;
  /** Signs attempts, downloads files, and verifies tokens for plugins. */
  readonly outbound: Pick<Outbound, 'sign' | 'media' | 'jwt'>;
  /** Opens the table of object owners if it is not open yet. */
  owners(): Promise<ObjectOwners>;
  /** See `PluginHost.spent`. */
  spent(caller: string, sinceDay: number): bigint;
  /** Outlives reloads. */
  readonly rates: RateLimiter;
  /** With several worker processes: sends a message about plugin state to the other workers. */
  broadcast?(key: string, message: unknown): void;
  now(): number;
  monotonic(): number;
}

/** Delay before the price list is loaded, in milliseconds: it must not slow down the start, but should be ready for the first response. */
const warmUpMs = 1000;

/** Imports a user's file by absolute path. Returns the default export, or else the module. */
export async function importFile(path: string): Promise<unknown> {
  const module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  return module.default ?? module;
}

/** Imports a file of a configuration. The code in it knows the secrets, so they are masked in the message of its error. */
async function importFileOf({ secrets }: ValidConfig, path: string): Promise<unknown> {
  try {
    return await importFile(path);
  } catch (cause) {
    const why = createMask(secrets).text(errorMessage(cause));
    throw new Error(`the file ${path} cannot be loaded: ${why}`, { cause });
  }
}

/** Builds generations from loaded configurations: compiles the snapshot and sets up the plugins. */
export class Generations {
  readonly #deps: GenerationsDeps;
  readonly #shared: SharedState;

  constructor(deps: GenerationsDeps) {
    this.#deps = deps;
    this.#shared = new SharedState(deps.broadcast?.bind(deps));
  }

  /** Handles a message about plugin state from another worker process. */
  receive(key: string, message: unknown): void {
    this.#shared.receive(key, message);
  }

  /** Messages that give the plugin state of this process to a worker process that was just started. */
  catchUp(): readonly PluginMessage[] {
    return this.#shared.catchUp();
  }

  /** @throws Error when a plugin can't be loaded or set up; everything opened so far is closed */
  async build(loaded: ValidConfig): Promise<Generation> {
    const { registry, log } = this.#deps;
    const external = await Promise.all(loaded.providerPaths.map(async (path) => (await importFileOf(loaded, path)) as Provider));
    const providers = new Map<string, Provider>();
    for (const provider of [...registry.providers, ...external].map(throughHub))
      for (const name of [provider.type, ...provider.aliases]) providers.set(name, provider);
    const snapshot = await runInSlices(
      compileSteps(loaded, { providers, credential: this.#deps.outbound.sign, prices: createPriceBook }),
      this.#deps.monotonic,
    );
    setTimeout(preloadPrices, warmUpMs).unref();
    const host = {
      now: this.#deps.now,
      sha256,
      media: this.#deps.outbound.media,
      jwt: this.#deps.outbound.jwt,
      spent: this.#deps.spent,
      rates: this.#deps.rates,
      warn: log.warn.bind(log),
      debug: log.debug.bind(log),
      request: log.request.bind(log),
    };
    const mask = (secrets: readonly string[]): ((bytes: Buffer) => Buffer) => createMask(secrets).bytes;
    const entries = await this.#chain(loaded);
    const isolates = [...snapshot.providers.values()].some((binding) => binding.isolate === true);
    const owners = isolates ? await this.#deps.owners() : undefined;
    return createGeneration(snapshot, entries, { host, owners, monotonic: this.#deps.monotonic, mask }, this.#shared);
  }

  async #chain(loaded: ValidConfig): Promise<ChainEntry[]> {
    const { stages } = this.#deps.registry;
    const written = loaded.tree.plugins;
    if (written === undefined) return stages.map((plugin) => ({ plugin, options: {} }));
    const entries: ChainEntry[] = [];
    for (const entry of written) {
      if (typeof entry !== 'string' && 'use' in entry && entry.use !== undefined) {
        entries.push({ plugin: (await importFileOf(loaded, entry.use)) as Plugin, options: entry.options ?? {} });
        continue;
      }
      const name = typeof entry === 'string' ? entry : entry.name;
      const plugin = stages.find((each) => each.name === name);
      if (plugin === undefined) throw new Error(`there is no plugin called "${name}"`);
      entries.push({ plugin, options: typeof entry === 'string' ? {} : (entry.options ?? {}) });
    }
    const isInChain = ({ name, provides = [] }: Plugin): boolean =>
      entries.some(({ plugin }) => plugin.name === name || provides.some((duty) => plugin.provides?.includes(duty) === true));
    const implied = stages.filter((stage) => stage.implied !== undefined && !isInChain(stage));
    for (const plugin of implied) entries[plugin.implied === 'first' ? 'unshift' : 'push']({ plugin, options: {} });
    return entries;
  }
}
