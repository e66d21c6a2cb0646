import { isJsonObject } from '../../../core/json/merge.ts';
import type { StoredPrompt, Versioned } from '../../../core/model/prompt.ts';
import {
  child,
  entriesOf,
  formatPath,
  itemsOf,
  type MapNode,
  type Node,
  type Path,
  type SourceLocation,
  type ScalarNode,
  toValue,
} from '../../read/node.ts';
import { nonTemplateKeys } from '../../validate/template.ts';
import { sectionEntries, valueOf } from '../context.ts';

/** A version of a prompt with its location. */
export interface PromptSite extends Versioned {
  readonly node: Node;
  readonly path: Path;
  /** `prompts.welcome.versions.2`. */
  readonly name: string;
  readonly keyAt: SourceLocation;
}

/** Every version of every prompt. */
export function promptSites(root: MapNode): PromptSite[] {
  return [...sectionEntries(root, 'prompts')].flatMap(([id, { value, keyAt }]): PromptSite[] => {
    const versions = child(value, 'versions');
    const path = ['prompts', id];
    if (versions === undefined)
      return child(value, 'messages') === undefined ? [] : [{ id, number: 1, node: value, path, name: formatPath(path), keyAt }];
    return entriesOf(versions).flatMap((entry) => {
      const at = [...path, 'versions', entry.key];
      return /^[1-9]\d*$/.test(entry.key)
        ? [{ id, number: Number(entry.key), node: entry.value, path: at, name: formatPath(at), keyAt: entry.keyAt }]
        : [];
    });
  });
}

/** The prompts that can be determined. Wrong labels and numbers are not reported here. */
export function promptsByName(root: MapNode, sites: readonly PromptSite[]): ReadonlyMap<string, StoredPrompt<PromptSite>> {
  const found = new Map<string, StoredPrompt<PromptSite>>();
  for (const [id, { value }] of sectionEntries(root, 'prompts')) {
    const versions = new Map(sites.filter((site) => site.id === id).map((site) => [site.number, site]));
    const publishedNumber = valueOf(child(value, 'published'));
    const published =
      (typeof publishedNumber === 'number' ? versions.get(publishedNumber) : undefined) ?? versions.get(Math.max(...versions.keys()));
    if (published === undefined) continue;
    const labels = entriesOf(child(value, 'labels')).map(({ key, value: number }): [string, PromptSite] => {
      const at = valueOf(number);
      return [key, (typeof at === 'number' ? versions.get(at) : undefined) ?? published];
    });
    found.set(id, { id, published, versions, labels: new Map(labels) });
  }
  return found;
}

/** Strings of a version's messages that are templates. Values of fixed keys, such as kinds of parts and JSON texts, are not. */
export function messageTexts(site: PromptSite): ScalarNode[] {
  const texts = (node: Node, key?: string): ScalarNode[] => {
    if (node.kind === 'map') return [...node.entries.values()].flatMap((entry) => texts(entry.value, entry.key));
    if (node.kind === 'list') return node.items.flatMap((item) => texts(item, key));
    return typeof node.value === 'string' && !nonTemplateKeys.has(key ?? '') ? [node] : [];
  };
  return itemsOf(child(site.node, 'messages')).flatMap((message) => texts(message));
}

/** Strings that another prompt receives when it inserts this one: contents, and texts of content parts. */
export function insertedTexts(site: PromptSite): ScalarNode[] {
  return itemsOf(child(site.node, 'messages')).flatMap((message) => {
    const content = child(message, 'content');
    const nodes = content?.kind === 'list' ? content.items.map((part) => child(part, 'text')) : [content];
    return nodes.flatMap((node) => (node?.kind === 'scalar' && typeof node.value === 'string' ? [node] : []));
  });
}

/** Location of an offset range within a string, if the file contains the text literally; otherwise the location of the whole value. */
export function locationIn(node: ScalarNode, start: number, end: number): SourceLocation {
  const text = String(node.value);
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const cut = text.indexOf('\n', from);
  const line = text.slice(from, cut < 0 ? undefined : cut);
  const { at } = node;
  for (let number = at.line; number <= at.endLine; number += 1) {
    const written = at.file.lines[number - 1] ?? '';
    const found = written.indexOf(line, number === at.line ? at.column - 1 : 0);
    if (found < 0 || line === '') continue;
    const column = found + start - from + 1;
    return {
      ...at,
      line: number,
      endLine: number,
      column,
      endColumn: Math.max(column + 1, Math.min(column + end - start, written.length + 1)),
    };
  }
  return at;
}

/** A mapping as a plain object; empty for other nodes. */
export function membersOf(node: Node | undefined): Readonly<Record<string, unknown>> {
  const value = node === undefined ? undefined : toValue(node);
  return isJsonObject(value) ? value : {};
}
