import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { addCommon, addScalar, asType, declaredTypes, type SchemaType } from './keywords.ts';
import { mergeSchemas } from './merge.ts';
import { SchemaRefs } from './refs.ts';
import { objectOf, listOf } from '../../shared/json.ts';

/** Maximum depth, more than any service accepts. Deeper levels are cut, so that no schema exhausts the stack. */
const deepest = 200;
/** Maximum number of nodes of one schema with its references resolved. Schemas that refer to each other would grow without limit. */
const maxNodes = 5000;
/** Maximum number of nested references. */
const maxOpen = 1000;
/** Maximum number of members that merging writes per schema: members that many parts share are written for each of them. */
const maxMerged = 200_000;

/**
 * Converts a JSON Schema to the service's own subset: resolves references, turns unions with null into `nullable`, and removes
 * unknown keywords. Only keywords are checked: properties may have any name. The input is not changed. Undefined for a schema
 * without constraints (`true`, `{}`).
 */
export function toServedSchema(schema: unknown, lost: (keyword: string) => void): JsonObject | undefined {
  if (!isJsonObject(schema) || Object.keys(schema).length === 0) return undefined;
  return new Converter(schema, lost).convert(schema, [], 0);
}

class Converter {
  readonly #refs: SchemaRefs;
  /** Called with each keyword that is removed. */
  readonly #lost: (keyword: string) => void;
  #nodes = 0;
  #merged = 0;

  constructor(root: JsonObject, lost: (keyword: string) => void) {
    this.#lost = lost;
    this.#refs = new SchemaRefs(root);
  }

  /** Converts a node. `open` lists the references being resolved above it: a repeated one ends the recursion. */
  convert(schema: unknown, open: readonly string[], depth: number): JsonObject {
    this.#nodes += 1;
    if (!isJsonObject(schema)) return { type: 'string' };
    if (depth > deepest || this.#nodes > maxNodes) return this.#cut({ type: 'object' });
    const flat = this.#flat(schema, open);
    if (flat.isCut) return addCommon({ type: 'object' }, flat.node);
    const branches = this.#branches(flat.node, flat.open);
    return branches === undefined ? this.#plain(flat.node, flat.open, depth) : this.#union(flat.node, branches, depth);
  }

  /** Reports a reference that is not written out: a schema that contains itself, or that grows too large. */
  #cut(node: JsonObject): JsonObject {
    this.#lost('$ref');
    return node;
  }

  /** Resolves the reference and `allOf` of a node. Siblings of a reference override its target. */
  #flat(schema: JsonObject, open: readonly string[]): { node: JsonObject; open: readonly string[]; isCut: boolean } {
    if (schema['$ref'] === undefined && schema['allOf'] === undefined) return { node: schema, open, isCut: false };
    const { $ref: ref, allOf, ...own } = schema;
    let node: JsonObject = own;
    let opened = open;
    let hasCut = false;
    if (typeof ref === 'string') {
      if (open.length >= maxOpen || open.includes(ref)) return { node: this.#cut(node), open, isCut: true };
      opened = [...open, ref];
      const target = this.#refs.find(ref);
      if (isJsonObject(target)) {
        const below = this.#flat(target, opened);
        if (below.isCut) return { ...below, node: this.#merge(below.node, node) };
        opened = below.open;
        node = this.#merge(below.node, node);
      } else if (target !== true) this.#lost('$ref');
    }
    for (const member of listOf(allOf)) {
      if (!isJsonObject(member)) continue;
      if (this.#merged > maxMerged) {
        this.#lost('allOf');
        break;
      }
      const flat = this.#flat(member, opened);
      hasCut ||= flat.isCut;
      opened = [...new Set([...opened, ...flat.open])];
      this.#merged += opened.length;
      node = this.#merge(flat.node, node);
    }
    return { node, open: opened, isCut: hasCut && !isTyped(node) };
  }

  /** Merges two schemas. Above the limit, returns only the one that takes precedence. */
  #merge(under: JsonObject, over: JsonObject): JsonObject {
    if (this.#merged > maxMerged) {
      this.#lost('properties');
      return over;
    }
    for (const key of ['anyOf', 'oneOf']) if (under[key] !== undefined && over[key] !== undefined) this.#lost(key);
    const merged = mergeSchemas(under, over);
    this.#merged += sizeOf(merged);
    return merged;
  }

  /** Returns the alternatives of a node, each merged with the node's other keywords, because `anyOf` excludes them. */
  #branches(node: JsonObject, open: readonly string[]): Branches | undefined {
    const hasAny = Array.isArray(node['anyOf']) && node['anyOf'].length > 0;
    const written: unknown = hasAny ? node['anyOf'] : node['oneOf'];
    if (!Array.isArray(written) && typeof node['type'] === 'string') return undefined;
    const { types, nullable } = declaredTypes(node);
    const { anyOf: _anyOf, oneOf: _oneOf, ...beside } = node;
    if (Array.isArray(written) && written.length > 0) {
      const list = (written as unknown[]).filter(isJsonObject).map((branch) => this.#flat(branch, open));
      const kept = list.filter((branch) => !isNull(branch.node));
      const { default: value, ...shared } = beside;
      if (hasAny && node['oneOf'] !== undefined) this.#lost('oneOf');
      if (kept.length > 1 && value !== undefined && value !== null) this.#lost('default');
      return {
        nullable: nullable || kept.length < list.length,
        list: kept.map((branch) => ({
          node: branch.isCut ? this.#merge(branch.node, { type: 'object' }) : this.#merge(kept.length === 1 ? beside : shared, branch.node),
          open: branch.open,
        })),
      };
    }
    if (types.length < 2) return undefined;
    return { nullable, list: types.map((type) => ({ node: asType(beside, type, types), open })) };
  }

  #union(node: JsonObject, { list, nullable }: Branches, depth: number): JsonObject {
    const [only] = list;
    if (only === undefined) return { ...addCommon({ type: 'string' }, node), nullable: true };
    const converted = list.map((branch) => this.convert(branch.node, branch.open, depth + 1));
    const first = converted[0] ?? { type: 'string' };
    if (list.length === 1) return nullable ? { ...first, nullable: true } : first;
    return nullable ? { anyOf: converted, nullable: true } : { anyOf: converted };
  }

  #plain(node: JsonObject, open: readonly string[], depth: number): JsonObject {
    const { types, nullable } = declaredTypes(node);
    const type: SchemaType = types[0] ?? 'string';
    if (types[0] === undefined && typeof node['type'] === 'string' && node['type'].toLowerCase() !== 'null') this.#lost('type');
    const out: Record<string, unknown> = { type };
    addCommon(out, node);
    if (nullable) out['nullable'] = true;
    addScalar(out, node, type, this.#lost);
    for (const key in node) if (!structural.has(key) && out[sentAs.get(key) ?? key] === undefined) this.#lost(key);
    if (type === 'array') out['items'] = this.#items(node, open, depth);
    if (type === 'object') this.#addProperties(out, node, open, depth);
    return out;
  }

  /** Converts the items of an array, which are always written. A tuple becomes an array of any of its members. */
  #items(node: JsonObject, open: readonly string[], depth: number): JsonObject {
    const { items, prefixItems } = node;
    if (Array.isArray(prefixItems) && isJsonObject(items)) this.#lost('prefixItems');
    const tuple = Array.isArray(items)
      ? (items as unknown[])
      : Array.isArray(prefixItems) && !isJsonObject(items)
        ? (prefixItems as unknown[])
        : undefined;
    if (tuple !== undefined) return this.convert(tuple.length > 1 ? { anyOf: tuple } : (tuple[0] ?? true), open, depth + 1);
    return this.convert(isJsonObject(items) && Object.keys(items).length > 0 ? items : true, open, depth + 1);
  }

  #addProperties(out: Record<string, unknown>, node: JsonObject, open: readonly string[], depth: number): void {
    const written = objectOf(node['properties']);
    const entries: [string, JsonObject][] = [];
    for (const name of Object.keys(written)) {
      if (written[name] !== false) entries.push([name, this.convert(written[name], open, depth + 1)]);
    }
    if (entries.length === 0) return;
    // Uses no assignment, because a property may be called __proto__.
    const properties = Object.fromEntries(entries);
    out['properties'] = properties;
    for (const key of ['required', 'propertyOrdering']) {
      const names = knownNames(node[key], properties);
      if (names.length > 0) out[key] = names;
    }
  }
}

/** True if a node says what it allows, besides a reference that was cut. */
const isTyped = (node: JsonObject): boolean =>
  ['type', 'properties', 'items', 'enum', 'const', 'anyOf', 'oneOf'].some((key) => node[key] !== undefined);

/** Counts the members of a schema and of its lists that merging writes. */
function sizeOf({ properties, required, ...others }: JsonObject): number {
  const names = isJsonObject(properties) ? Object.keys(properties).length : 0;
  return Object.keys(others).length + names + (Array.isArray(required) ? required.length : 0);
}

/** Keywords that are handled elsewhere, and those without constraints. */
const structural: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'default',
  'nullable',
  'items',
  'prefixItems',
  'properties',
  'required',
  'propertyOrdering',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  '$schema',
  '$id',
  '$anchor',
  '$comment',
]);

/** Keywords that are sent under another name. */
const sentAs: ReadonlyMap<string, string> = new Map([
  ['const', 'enum'],
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
]);

/** Returns the names of a list that are properties, each once. */
function knownNames(value: unknown, properties: JsonObject): readonly string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value as unknown[])].filter((name): name is string => typeof name === 'string' && Object.hasOwn(properties, name));
}

interface Branches {
  readonly list: readonly { readonly node: JsonObject; readonly open: readonly string[] }[];
  readonly nullable: boolean;
}

/** True for `{type: 'null'}`, `{const: null}` and `{enum: [null]}`. */
function isNull(node: JsonObject): boolean {
  if (node['type'] === 'null' || node['const'] === null) return true;
  return Array.isArray(node['enum']) && node['enum'].length > 0 && node['enum'].every((value) => value === null);
}
