import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, parseDocument, type ParsedNode, visit } from 'yaml';
import type { Entry, ListNode, MapNode, Node, SourceLocation, ScalarNode, SourceFile } from '../node.ts';
import { locationText, type ProblemReporter } from '../../report/problem.ts';
import { syntaxExplainer } from './syntax-hints.ts';
import { lowerFirst } from '../../../core/text/wording.ts';

/** Most values that the aliases of a file may expand to; far above any real file, low enough to be harmless. */
const maxValues = 100_000;
const maxDepth = 100;

/** A parsed file. A `broken` tree is only good for looking up names. */
export interface Parsed {
  readonly root: Node | undefined;
  readonly broken: boolean;
}

/** Splits text into lines for locations, and removes a byte order mark. */
export function sourceFile(path: string, name: string, text: string): { readonly file: SourceFile; readonly text: string } {
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text;
  return { file: { path, name, lines: clean.split(/\r?\n/) }, text: clean };
}

/**
 * Parses YAML 1.2 (and so JSON) into a tree with locations.
 *
 * @param unusable called with the location of each value that is reported here and cannot be checked further
 */
export function parse(file: SourceFile, text: string, report: ProblemReporter, unusable: (at: SourceLocation) => void): Parsed {
  const reader = new TreeReader(file, text, report, unusable);
  if (text.includes('\0')) {
    reader.reportNotUtf8(text.indexOf('\0'));
    return { root: undefined, broken: true };
  }
  try {
    // Tags of YAML 1.1 such as !!omap and !!set are reported: their values have no form in JSON.
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, resolveKnownTags: false });
    // The library reports that its stack was too small, which depends on the machine.
    if (document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) throw new RangeError('too deep');
    reader.reportSyntax(document);
    return { root: reader.read(document), broken: reader.broken };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report({
      code: 'yaml-syntax',
      at: { file, line: 1, column: 1, endColumn: 2, endLine: 1 },
      message: `nested deeper than ${maxDepth} levels`,
      show: 'none',
    });
    return { root: undefined, broken: true };
  }
}

type YamlNode = ParsedNode | null;

/** `size` and `depth` count all values below, with aliases expanded. */
interface MeasuredNode<N extends Node = Node> {
  readonly node: N;
  readonly size: number;
  readonly depth: number;
}

interface MeasuredEntry extends Omit<MeasuredNode, 'node'> {
  readonly entry: Entry;
  readonly isMergeKey: boolean;
}

class TreeReader {
  broken = false;
  readonly #file: SourceFile;
  readonly #text: string;
  readonly #report: ProblemReporter;
  readonly #unusable: (at: SourceLocation) => void;
  readonly #lineStarts: readonly number[];
  /** Target of each alias: the last anchor of its name before it. */
  readonly #targets = new Map<unknown, YamlNode>();
  readonly #built = new Map<YamlNode, MeasuredNode>();
  readonly #inProgress = new Set<YamlNode>();
  /** Number of values that the aliases so far expand to. Values below an anchor count for each alias. */
  #aliasedValues = 0;
  #tooLarge = false;
  #tooDeep = false;

  constructor(file: SourceFile, text: string, report: ProblemReporter, unusable: (at: SourceLocation) => void) {
    this.#file = file;
    this.#text = text;
    this.#report = report;
    this.#unusable = unusable;
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#lineStarts = starts;
  }

  /** Reports syntax errors: the first one, and each further unquoted reserved character, which does not affect what follows. */
  reportSyntax(document: Document.Parsed): void {
    const errors = document.errors.filter((error, i) => i === 0 || error.code === 'BAD_SCALAR_START');
    const explain = syntaxExplainer(this.#text);
    for (const error of errors) {
      const explained = explain(error);
      this.#syntaxError(this.#locationAt(explained.start, explained.end), explained.message, explained.hint);
    }
    for (const { code, message, pos } of document.warnings) {
      this.#syntaxError(this.#locationAt(...pos), lowerFirst(message), code === 'BAD_DIRECTIVE' ? 'remove this line' : 'remove the tag');
    }
    if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.2') this.#reportYamlVersion();
  }

  /**
   * Rejects another YAML version. In YAML 1.1 `yes` is true, 010 is 8 and 1:30 is 90: the meaning of a line must not
   * depend on a directive.
   */
  #reportYamlVersion(): void {
    const start = Math.max(0, this.#text.search(/^%YAML\b/m));
    const directive = /^%YAML[ \t]+\S*/.exec(this.#text.slice(start))?.[0] ?? '';
    const hint = 'remove this line; in YAML 1.2 yes, no, on and off are strings: write true or false';
    this.#syntaxError(
      this.#locationAt(start, start + directive.length),
      `"${directive}" is not supported: files are read as YAML 1.2`,
      hint,
    );
  }

  /** Reports a NUL character, which YAML excludes. In UTF-16 text, every second byte is one. */
  reportNotUtf8(index: number): void {
    this.broken = true;
    const at = this.#locationAt(index, index + 1);
    this.#report({ code: 'yaml-syntax', at, message: 'the file is not text in UTF-8', hint: 'save it as UTF-8', show: 'none' });
  }

  read(document: Document.Parsed): Node | undefined {
    const contents = document.contents as YamlNode;
    if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
    const anchors = new Map<string, YamlNode>();
    visit(document, (_key, node) => {
      if (isAlias(node)) this.#targets.set(node, anchors.get(node.source) ?? null);
      else if (node !== null && typeof node === 'object' && 'anchor' in node && typeof node.anchor === 'string')
        anchors.set(node.anchor, node as YamlNode);
    });
    return this.#node(contents, 0).node;
  }

  #node(source: YamlNode, depth: number): MeasuredNode {
    if (isAlias(source)) return this.#alias(source, depth);
    const known = this.#built.get(source);
    if (known !== undefined) return known;
    if (depth > maxDepth) throw new RangeError('too deep');
    this.#inProgress.add(source);
    const made = isMap(source)
      ? this.#map(source as never, depth)
      : isSeq(source)
        ? this.#list(source as never, depth)
        : this.#scalar(source);
    this.#inProgress.delete(source);
    this.#built.set(source, made);
    return made;
  }

  #alias(source: ParsedNode & { source: string }, depth: number): MeasuredNode {
    const at = this.#locationOf(source);
    const target = this.#targets.get(source) ?? null;
    const empty = this.#leaf(at, null, `*${source.source}`);
    if (target === null) {
      if (source.source !== '')
        this.#syntaxError(at, `no anchor called "${source.source}"`, `a value that starts with "*" needs quotes: "*${source.source}"`);
      return empty;
    }
    if (this.#inProgress.has(target)) {
      this.#syntaxError(at, `the anchor "${source.source}" contains itself`, 'remove this alias');
      return empty;
    }
    const made = this.#node(target, depth);
    this.#aliasedValues += made.size;
    if (this.#aliasedValues > maxValues) {
      if (!this.#tooLarge) this.#syntaxError(at, `the aliases expand to more than ${maxValues} values`, 'write fewer aliases');
      this.#tooLarge = true;
      return empty;
    }
    if (depth + made.depth <= maxDepth) return made;
    if (!this.#tooDeep)
      this.#syntaxError(at, `the aliases nest values deeper than ${maxDepth} levels`, 'write fewer aliases of values with aliases');
    this.#tooDeep = true;
    return empty;
  }

  #map(source: ParsedNode & { items: Pair<ParsedNode, ParsedNode | null>[] }, depth: number): MeasuredNode<MapNode> {
    const entries = new Map<string, Entry>();
    const merged: Node[] = [];
    let size = 1;
    let below = 0;
    for (const pair of source.items) {
      const entry = this.#entry(pair, depth);
      if (entry === undefined) continue;
      size += entry.size;
      below = Math.max(below, entry.depth);
      const earlier = entries.get(entry.entry.key);
      if (earlier !== undefined) this.#reportDuplicate(entry.entry, earlier);
      else if (entry.isMergeKey) merged.push(entry.entry.value);
      else entries.set(entry.entry.key, entry.entry);
    }
    for (const from of merged) this.#merge(entries, from);
    return { node: { kind: 'map', at: this.#locationOf(source), entries }, size, depth: below + 1 };
  }

  #entry(pair: Pair<ParsedNode, ParsedNode | null>, depth: number): MeasuredEntry | undefined {
    const { key, value } = pair;
    if (!isScalar(key) || key.value === null) {
      const at = key === null ? this.#locationOf(value) : this.#locationOf(key);
      const isTemplate = key !== null && at.file.lines[at.line - 1]?.[at.column - 2] === '{';
      const hint = isTemplate ? 'a template needs quotes: "{{name}}"' : 'write name: value';
      if (!this.broken) this.#syntaxError(at, 'a key must be a string', hint);
      return undefined;
    }
    const text = typeof key.value === 'string' ? key.value : (key.source ?? JSON.stringify(key.value));
    const keyAt = this.#locationOf(key);
    if (text === '__proto__') {
      this.#report({ code: 'unknown-key', at: keyAt, message: '"__proto__" cannot be a key', hint: 'use another name' });
      return undefined;
    }
    const { node, ...below } = value === null ? this.#leaf(keyAt, null, '') : this.#node(value, depth + 1);
    return { entry: { key: text, written: text, keyAt, value: node }, isMergeKey: text === '<<' && key.type === 'PLAIN', ...below };
  }

  /** Applies YAML's merge key: members of the mapping itself win, then those of the first source. */
  #merge(entries: Map<string, Entry>, from: Node): void {
    if (from.kind === 'scalar' || (from.kind === 'list' && from.items.some((item) => item.kind !== 'map'))) {
      this.#report({
        code: 'wrong-type',
        at: from.at,
        message: '"<<" needs a mapping or a list of mappings',
        hint: 'name an anchor: <<: *defaults',
      });
      return;
    }
    for (const map of from.kind === 'map' ? [from] : (from.items as readonly MapNode[])) {
      for (const [key, entry] of map.entries) if (!entries.has(key)) entries.set(key, entry);
    }
  }

  #list(source: ParsedNode & { items: ParsedNode[] }, depth: number): MeasuredNode<ListNode> {
    const made = source.items.map((item) => this.#node(item, depth + 1));
    const size = made.reduce((sum, one) => sum + one.size, 1);
    const below = made.reduce((most, one) => Math.max(most, one.depth), 0);
    return { node: { kind: 'list', at: this.#locationOf(source), items: made.map((one) => one.node) }, size, depth: below + 1 };
  }

  #scalar(source: YamlNode): MeasuredNode<ScalarNode> {
    const at = this.#locationOf(source);
    if (!isScalar(source)) return this.#leaf(at, null, '');
    const { value } = source;
    const text = source.source ?? (value === null ? '' : JSON.stringify(value));
    if (typeof value === 'number' && !Number.isFinite(value)) this.#reportNonFinite(at, text);
    else if (value === null || ['string', 'boolean', 'number'].includes(typeof value)) return this.#leaf(at, value as never, text);
    return this.#leaf(at, text, text);
  }

  /** Reports NaN or infinity: JSON has no such number, so it could not be sent. */
  #reportNonFinite(at: SourceLocation, text: string): void {
    this.#unusable(at);
    const message = `${text} is not a number that JSON can hold`;
    this.#report({ code: 'out-of-range', at, message, hint: 'write a finite number, or put it in quotes to send a string' });
  }

  #leaf(at: SourceLocation, value: ScalarNode['value'], text: string): MeasuredNode<ScalarNode> {
    return { node: { kind: 'scalar', at, value, text, resolved: false }, size: 1, depth: 0 };
  }

  #reportDuplicate(entry: Entry, earlier: Entry): void {
    this.#report({
      code: 'duplicate-key',
      at: entry.keyAt,
      message: `"${entry.key}" is a duplicate key`,
      hint: `first defined at ${locationText(earlier.keyAt)}:${earlier.keyAt.column}`,
    });
  }

  #syntaxError(at: SourceLocation, message: string, hint: string | undefined): void {
    this.broken = true;
    this.#report({ code: 'yaml-syntax', at, message, hint });
  }

  #locationOf(source: YamlNode): SourceLocation {
    const range = source?.range;
    return range ? this.#locationAt(range[0], range[1]) : this.#locationAt(0, 0);
  }

  #locationAt(start: number, end: number): SourceLocation {
    const line = this.#lineOf(start);
    const from = this.#lineStarts[line - 1] ?? 0;
    const length = this.#file.lines[line - 1]?.length ?? 0;
    const column = Math.min(start - from, length) + 1;
    const endLine = this.#lineOf(Math.max(start, end - 1));
    const endColumn = endLine === line ? Math.min(end - from, length) + 1 : length + 1;
    return { file: this.#file, line, column, endColumn: Math.max(endColumn, column + 1), endLine };
  }

  #lineOf(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }
}
