import { canonicalConfig } from '../../config/compile/canonical-config.ts';
import type { Origins } from '../../config/report/origins.ts';
import { formatPath } from '../../config/read/node.ts';
import type { GatewayConfig } from '../../config/schema/index.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Origin } from '../../core/logs/explanation.ts';

/** One config object on the path from the root of a tree to a target. */
export interface ConfigLevel {
  /** Path in the files, such as `configs.support.targets[0]`; undefined for a config sent with the request. */
  readonly path: string | undefined;
  readonly entry: JsonObject;
  /** Set when the target is written in the short form, as a string. */
  readonly isShort?: true;
}

/** Looks up the nodes of a config tree in the files. */
export class ConfigLevels {
  readonly #configs: JsonObject;
  readonly #origins: Origins;
  readonly #inline: JsonObject | undefined;

  /** @param inline config object sent with the request */
  constructor(tree: Pick<GatewayConfig, 'configs'>, origins: Origins, inline: JsonObject | undefined) {
    this.#configs = tree.configs ?? {};
    this.#origins = origins;
    this.#inline = inline;
  }

  /**
   * Config objects from the root to a node, the outermost first. Their settings are inherited. A target that names a
   * config is followed by that config.
   *
   * @param root `configs.support`, `inline` or `request`
   * @param path `config.targets[1]`
   */
  to(root: string, path: string): readonly ConfigLevel[] {
    const levels: ConfigLevel[] = [];
    const enter = (level: ConfigLevel | undefined): void => {
      for (let now = level; now !== undefined && levels.length < maxLevels; now = this.#named(now)) levels.push(now);
    };
    enter(this.#root(root));
    for (const index of indexesIn(path)) {
      const target = targetOf(levels.at(-1), index);
      if (target === undefined) return levels;
      enter(target);
    }
    return levels;
  }

  /** Location of a node in the files. */
  at(root: string, path: string): Origin | null {
    // Location of the target itself, not of the config that it names.
    const configPath = this.#target(root, path);
    return configPath === undefined ? null : this.#origins.near(configPath);
  }

  /** Members of `override_params` that apply at a target, with the location of each. */
  overrides(root: string, path: string): ReadonlyMap<string, Origin | null> {
    const found = new Map<string, Origin | null>();
    for (const { path: configPath, entry, isShort } of this.to(root, path)) {
      const own = isJsonObject(entry['override_params']) ? entry['override_params'] : {};
      const labels = isJsonObject(entry['labels']) ? { labels: entry['labels'] } : {};
      for (const [name, at] of [...flatten(own, `${configPath}.override_params`), ...flatten(labels, configPath ?? '')]) {
        for (const known of found.keys()) if (isInside(known, name) || isInside(name, known)) found.delete(known);
        found.set(name, configPath === undefined ? null : this.#origins.near(isShort === true ? configPath : at));
      }
    }
    return found;
  }

  #root(root: string): ConfigLevel | undefined {
    if (root === 'inline') return this.#inline === undefined ? undefined : { path: undefined, entry: canonical(this.#inline) };
    return root.startsWith('configs.') ? this.#config(root.slice('configs.'.length)) : undefined;
  }

  #config(name: string): ConfigLevel | undefined {
    const entry = Object.hasOwn(this.#configs, name) ? this.#configs[name] : undefined;
    return isJsonObject(entry) ? { path: formatPath(['configs', name]), entry: canonical(entry) } : undefined;
  }

  #named({ entry }: ConfigLevel): ConfigLevel | undefined {
    return typeof entry['config'] === 'string' ? this.#config(entry['config']) : undefined;
  }

  #target(root: string, path: string): string | undefined {
    const cut = path.lastIndexOf('.targets[');
    if (cut < 0) return this.#root(root)?.path;
    return targetOf(this.to(root, path.slice(0, cut)).at(-1), Number(path.slice(cut + '.targets['.length, -1)))?.path;
  }
}

/** Most config objects on one path, including named configs. */
const maxLevels = 200;

const indexesIn = (path: string): number[] => [...path.matchAll(/\.targets\[(\d+)\]/g)].map(([, index]) => Number(index));

function targetOf(level: ConfigLevel | undefined, index: number): ConfigLevel | undefined {
  const targets = level?.entry['targets'];
  if (level === undefined || !Array.isArray(targets)) return undefined;
  const written: unknown = targets[index];
  const configPath = level.path === undefined ? undefined : `${level.path}.targets[${index}]`;
  if (typeof written === 'string') {
    const slash = written.indexOf('/');
    return { path: configPath, entry: slash < 0 ? {} : { override_params: { model: written.slice(slash + 1) } }, isShort: true };
  }
  return isJsonObject(written) ? { path: configPath, entry: written } : undefined;
}

const canonical = (entry: JsonObject): JsonObject => canonicalConfig(entry) as JsonObject;

/** All values below by dotted name, such as `response_format.type`, with their paths. Lists count as values. */
function flatten(value: JsonObject, configPath: string, above = ''): (readonly [name: string, configPath: string])[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const name = above === '' ? key : `${above}.${key}`;
    const at = `${configPath}.${formatPath([key])}`;
    return isJsonObject(member) && Object.keys(member).length > 0 ? flatten(member, at, name) : [[name, at] as const];
  });
}

const isInside = (name: string, above: string): boolean => name.startsWith(`${above}.`);
