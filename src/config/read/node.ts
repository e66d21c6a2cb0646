/** A file of the configuration. Messages show its `name`; `path` is '' for text that is not in a file. */
export interface SourceFile {
  readonly path: string;
  readonly name: string;
  readonly lines: readonly string[];
}

/** Location in a file. Lines and columns count from 1; `endColumn` is after the last character of the first line. */
export interface SourceLocation {
  readonly file: SourceFile;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  /** Last line of the range. */
  readonly endLine: number;
}

export type Scalar = string | number | boolean | null;

/** The tree of a file. Each value keeps its location in the file, including values from anchors and merge keys. */
export type Node = MapNode | ListNode | ScalarNode;

export interface MapNode {
  readonly kind: 'map';
  readonly at: SourceLocation;
  readonly entries: ReadonlyMap<string, Entry>;
}

export interface Entry {
  /** Canonical name; `written` is the spelling in the file. */
  readonly key: string;
  readonly written: string;
  readonly keyAt: SourceLocation;
  readonly value: Node;
}

export interface ListNode {
  readonly kind: 'list';
  readonly at: SourceLocation;
  readonly items: readonly Node[];
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: SourceLocation;
  readonly value: Scalar;
  /** As written, without quotes. For a resolved value, this is the text that may be shown. */
  readonly text: string;
  /** True when the value comes, in whole or in part, from the environment or a file. */
  readonly resolved: boolean;
}

export type Path = readonly (string | number)[];

/** Child by key or index. */
export function child(node: Node | undefined, step: string | number): Node | undefined {
  if (node?.kind === 'map') return node.entries.get(String(step))?.value;
  if (node?.kind === 'list') return node.items[Number(step)];
  return undefined;
}

/** Node at a path; undefined when there is none. */
export function nodeAt(root: Node | undefined, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, step) => child(node, step), root);
}

/** Location of the key at this path; of the value if it has no key. */
export function keyLocation(root: Node, path: Path): SourceLocation {
  const last = path.at(-1);
  const parent = nodeAt(root, path.slice(0, -1));
  if (last !== undefined && parent?.kind === 'map') {
    const entry = parent.entries.get(String(last));
    if (entry !== undefined) return entry.keyAt;
  }
  return (nodeAt(root, path) ?? parent ?? root).at;
}

/** Entries of a mapping; empty for other nodes. */
export function entriesOf(node: Node | undefined): readonly Entry[] {
  return node?.kind === 'map' ? [...node.entries.values()] : [];
}

export function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.kind === 'list' ? node.items : [];
}

/** String of a scalar; undefined for other nodes. */
export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** The plain value. Keys that are special in JavaScript cannot occur: the parser rejects them. */
export function toValue(node: Node): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toValue);
  return Object.fromEntries([...node.entries.values()].map((entry) => [entry.key, toValue(entry.value)]));
}

/** Visits every value of the tree with its path. Shared nodes are visited at each position. */
export function traverse(
  node: Node,
  visit: (node: Node, path: Path, entry: Entry | undefined) => boolean | undefined,
  path: Path = [],
  entry?: Entry,
): void {
  if (visit(node, path, entry) === false) return;
  if (node.kind === 'map') for (const one of node.entries.values()) traverse(one.value, visit, [...path, one.key], one);
  if (node.kind === 'list') node.items.forEach((item, i) => traverse(item, visit, [...path, i]));
}

/** Path as text, such as `configs.support.targets[0]`. Names with other characters are quoted. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[\w$-]+$/.test(step) ? step : JSON.stringify(step);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** The mapping with the given entries instead of its own. */
export function withEntries(node: MapNode, entries: Iterable<Entry>): MapNode {
  return { ...node, entries: new Map([...entries].map((entry) => [entry.key, entry])) };
}

/** The mapping with each entry replaced by the result of `make`. */
export const mapEntries = (node: MapNode, make: (entry: Entry) => Entry): MapNode =>
  withEntries(node, [...node.entries.values()].map(make));

/** The tree with the value at a path replaced; unchanged when there is no such value. */
export function withValueAt<N extends Node>(root: N, [step, ...rest]: readonly string[], make: (node: Node) => Node): N {
  if (root.kind !== 'map' || step === undefined) return root;
  const made = (value: Node): Node => (rest.length === 0 ? make(value) : withValueAt(value, rest, make));
  return mapEntries(root, (entry) => (entry.key === step ? { ...entry, value: made(entry.value) } : entry)) as N;
}
