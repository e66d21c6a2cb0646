import { nearest } from '../../core/text/nearest.ts';
import { withoutAt } from '../../core/model/model-name.ts';
import type { PluginRegistry } from '../read/registry.ts';
import {
  child,
  type Entry,
  entriesOf,
  itemsOf,
  type MapNode,
  type Node,
  type Path,
  type SourceLocation,
  type ScalarNode,
  textOf,
} from '../read/node.ts';
import type { ProblemReporter } from '../report/problem.ts';
import type { IsValid } from '../validate/schema.ts';

/** Input of a rule. The tree may have any shape: rules skip values that the schema rejected. */
export interface CheckContext {
  readonly root: MapNode;
  readonly registry: PluginRegistry;
  readonly isValid: IsValid;
  /** Slugs whose secret is missing, where missing secrets are allowed. */
  readonly missingSecrets: Readonly<Record<string, string>>;
  /** Locations of values whose references could not be resolved. */
  readonly unresolved: ReadonlySet<SourceLocation>;
  /** A file could not be read, so the names that it defines or uses are unknown. */
  readonly hasBrokenFiles: boolean;
  readonly start: StartFacts;
  readonly report: ProblemReporter;
}

/** Keys of `server` that flags can override. */
export type Overridden = 'listen' | 'probe_listen' | 'admin.listen' | 'admin.enabled' | 'state_dir' | 'workers';

/** Facts outside the files that decide whether a gateway can start with them. */
export interface StartFacts {
  /** Keys of `server` that flags override. */
  readonly overridden?: readonly Overridden[];
  /** A gateway is already running and has opened its paths. */
  readonly isRunning?: boolean;
}

/** One check of the whole configuration. */
export type Rule = (context: CheckContext) => void;

/** A config object or a target, at any depth of its tree. */
export interface Site {
  readonly node: Node;
  /** Path from the root of the file. */
  readonly path: Path;
  /** Name of the config that contains it. */
  readonly config: string;
  readonly parent: Site | undefined;
  /** Position among its siblings; -1 for the config itself. */
  readonly index: number;
}

/** Every config object and every target below it, outermost first. */
export function sitesOf(root: MapNode): Site[] {
  const found: Site[] = [];
  const add = (site: Site): void => {
    found.push(site);
    itemsOf(child(site.node, 'targets')).forEach((node, index) =>
      add({ node, path: [...site.path, 'targets', index], config: site.config, parent: site, index }),
    );
  };
  for (const { key, value } of entriesOf(child(root, 'configs'))) {
    if (!key.startsWith('x-')) add({ node: value, path: ['configs', key], config: key, parent: undefined, index: -1 });
  }
  return found;
}

/** Entries of a top-level mapping by name, without `x-` keys. */
export function sectionEntries(root: MapNode, name: string): ReadonlyMap<string, Entry> {
  return new Map(entriesOf(child(root, name)).flatMap((entry) => (entry.key.startsWith('x-') ? [] : [[entry.key, entry] as const])));
}

/** One entry of a top-level mapping; undefined for `x-` keys. */
export const sectionEntry = (root: MapNode, name: string, key: string): Entry | undefined =>
  key.startsWith('x-') ? undefined : entryOf(child(root, name), key);

/** Nodes that hold rules for callers: every entry of `api_keys`, and `auth.jwt` when its tokens do not name an API key. */
export function callerRulesOf(root: MapNode): Node[] {
  const jwt = child(child(root, 'auth'), 'jwt');
  const jwtRules = jwt === undefined || child(jwt, 'key') !== undefined ? [] : [jwt];
  return [...[...sectionEntries(root, 'api_keys').values()].map(({ value }) => value), ...jwtRules];
}

/** Entry of a mapping by key. */
export function entryOf(node: Node | undefined, key: string): Entry | undefined {
  return node?.kind === 'map' ? node.entries.get(key) : undefined;
}

/** True when the mapping has neither the key nor a key that the schema reports as a misspelling of it. */
export const lacks = (node: Node | undefined, key: string): boolean =>
  entryOf(node, key) === undefined && !entriesOf(node).some((entry) => nearest(entry.key, [key]) !== undefined);

/** Provider name in a reference: without the `@`, up to the first slash. */
export const slugIn = (written: string): string => withoutAt(written).split('/')[0] ?? '';

/** Strings of a list, with their nodes. */
export function textsOf(node: Node | undefined): { node: ScalarNode; text: string }[] {
  return itemsOf(node).flatMap((item) => {
    const text = textOf(item);
    return text === undefined ? [] : [{ node: item as ScalarNode, text }];
  });
}

/** Value of a scalar; undefined for other nodes. */
export function valueOf(node: Node | undefined): unknown {
  return node?.kind === 'scalar' ? node.value : undefined;
}

/** Location reduced to its first character, for problems that concern a whole mapping. */
export const startOf = (at: SourceLocation): SourceLocation => ({ ...at, endColumn: at.column + 1 });
