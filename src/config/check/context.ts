import { nearest } from '../../core/text/nearest.ts';
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
import type { Report } from '../report/problem.ts';
import type { Valid } from '../validate/schema.ts';

/** What a rule may look at. The tree may have any shape: rules say nothing about what the schema has refused. */
export interface CheckContext {
  readonly root: MapNode;
  readonly registry: PluginRegistry;
  readonly valid: Valid;
  /** Slugs whose secret is missing and may be. */
  readonly missing: Readonly<Record<string, string>>;
  /** Places of values whose references could not be resolved. */
  readonly unresolved: ReadonlySet<SourceLocation>;
  /** A file is not readable: what it would define or use is not known. */
  readonly broken: boolean;
  readonly start: StartFacts;
  readonly report: Report;
}

/** Keys of `server` that flags can override. */
export type Overridden = 'listen' | 'probe_listen' | 'admin.listen' | 'admin.enabled' | 'state_dir' | 'workers';

/** What else than the files decides whether a gateway starts with them. */
export interface StartFacts {
  /** Keys of `server` that flags override. */
  readonly overridden?: readonly Overridden[];
  /** A gateway serves already, and has opened its paths. */
  readonly isRunning?: boolean;
}

/** One question about the whole configuration. */
export type Rule = (context: CheckContext) => void;

/** A config object or a target, wherever it is in its tree. */
export interface Site {
  readonly node: Node;
  /** From the top of the file. */
  readonly path: Path;
  /** Name of the config that holds it. */
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

/** Entries of a top-level mapping by name, notes left out. */
export function section(root: MapNode, name: string): ReadonlyMap<string, Entry> {
  return new Map(entriesOf(child(root, name)).flatMap((entry) => (entry.key.startsWith('x-') ? [] : [[entry.key, entry] as const])));
}

/** One of them. */
export const entryIn = (root: MapNode, name: string, key: string): Entry | undefined =>
  key.startsWith('x-') ? undefined : entryOf(child(root, name), key);

/** What holds rules for callers: every entry of `api_keys`, and `auth.jwt` where its tokens name none of them. */
export function callersOf(root: MapNode): Node[] {
  const jwt = child(child(root, 'auth'), 'jwt');
  const own = jwt === undefined || child(jwt, 'key') !== undefined ? [] : [jwt];
  return [...[...section(root, 'api_keys').values()].map(({ value }) => value), ...own];
}

/** An entry of a mapping by key. */
export function entryOf(node: Node | undefined, key: string): Entry | undefined {
  return node?.kind === 'map' ? node.entries.get(key) : undefined;
}

/** Has neither the key nor one that the schema reports as a misspelling of it. */
export const lacks = (node: Node | undefined, key: string): boolean =>
  entryOf(node, key) === undefined && !entriesOf(node).some((entry) => nearest(entry.key, [key]) !== undefined);

/** A provider's name in a config: without the `@`, and only what is before a slash. */
export function slugIn(written: string): string {
  return written.replace(/^@/, '').split('/')[0] ?? '';
}

/** The texts of a list, with their nodes. */
export function textsOf(node: Node | undefined): { node: ScalarNode; text: string }[] {
  return itemsOf(node).flatMap((item) => {
    const text = textOf(item);
    return text === undefined ? [] : [{ node: item as ScalarNode, text }];
  });
}

/** A scalar's value when it is of this type. */
export function valueOf(node: Node | undefined): unknown {
  return node?.kind === 'scalar' ? node.value : undefined;
}

/** The first character of a place: for problems of a whole mapping. */
export const startOf = (at: SourceLocation): SourceLocation => ({ ...at, endColumn: at.column + 1 });
