import { keyVariable } from '../../../../config/edit/new-entry.ts';
import { child, type Entry, entriesOf, type Node, textOf, toValue } from '../../../../config/read/node.ts';
import { canonicalKey } from '../../../../config/read/key-aliases.ts';
import { inlineSettings } from '../../../../config/schema/join.ts';
import { targetSettings } from '../../../../config/schema/target.ts';
import type { JsonSchema } from '../../../../core/json/schema.ts';
import { isNearSecretName, isSecretName } from '../../../../core/secrets/credential-names.ts';
import { addressIn } from '../addresses.ts';
import type { Conversion } from '../conversion.ts';
import { escaped } from '../variables.ts';
import { targetReasons } from './reasons.ts';

/** Virtual key or provider in a config: its slug, and the provider type if the config names it. */
export interface Account {
  readonly slug: string;
  readonly type: string | undefined;
  readonly entry: Entry;
}

/** Mappings whose keys the gateway defines, with the schema of each. */
const mappings: Readonly<Record<string, JsonSchema>> = {
  strategy: targetSettings.properties.strategy.properties,
  retry: targetSettings.properties.retry.properties,
  cache: targetSettings.properties.cache.properties,
  cb_config: targetSettings.properties.strategy.properties.cb_config.properties,
  timeouts: targetSettings.properties.timeouts.properties,
};

/** Converts the config objects of one file. */
export class TargetConverter {
  readonly accounts: Account[] = [];
  readonly #conversion: Conversion;
  readonly #inline: Readonly<Record<string, JsonSchema>>;

  constructor(conversion: Conversion) {
    this.#conversion = conversion;
    this.#inline = inlineSettings(conversion.providers);
  }

  /**
   * A config or one of its targets, in our spelling.
   *
   * @param path in the source, without indexes
   * @param isBalanced whether a weight has an effect; without one it is left out
   */
  convert(node: Node, path: string, isBalanced = false): unknown {
    if (node.kind !== 'map') {
      const text = textOf(node);
      if (text === undefined) this.#conversion.notes.unmapped(path, node.at, 'it is not a target');
      else this.#account(text, undefined, { key: '', written: '', keyAt: node.at, value: node });
      return text === undefined ? {} : escaped(text);
    }
    const found: Record<string, unknown> = {};
    const entries = this.#byCanonicalKey(node, path);
    const virtual = entries.get('virtual_key');
    const type = textOf(entries.get('provider')?.value);
    for (const [key, entry] of entries) {
      // The virtual key determines the provider.
      if (key === 'provider' && virtual !== undefined && type?.startsWith('@') !== true) continue;
      if (key === 'weight' && !isBalanced) continue;
      const value = key === 'targets' ? this.#targets(entry, path, entries) : this.#member(key, entry, path, type);
      if (value !== undefined) found[key] = value;
    }
    this.#accountsIn(entries, type);
    return found;
  }

  /** Entries by our spelling of their key. Of two spellings, the first is used. */
  #byCanonicalKey(node: Node, path: string): ReadonlyMap<string, Entry> {
    const found = new Map<string, Entry>();
    for (const entry of entriesOf(node)) {
      const key = canonicalKey(entry.key);
      if (!found.has(key)) found.set(key, entry);
      else this.#conversion.notes.unmapped(below(path, entry.key), entry.keyAt, 'the same key in another spelling is used');
    }
    return found;
  }

  #targets({ key, value }: Entry, path: string, siblings: ReadonlyMap<string, Entry>): unknown {
    if (value.kind !== 'list') return this.#escaped(toValue(value), key);
    const isBalanced = textOf(child(siblings.get('strategy')?.value, 'mode')) === 'loadbalance';
    return value.items.map((item) => this.convert(item, `${below(path, key)}[]`, isBalanced));
  }

  #member(key: string, entry: Entry, path: string, type: string | undefined): unknown {
    const { notes, variables } = this.#conversion;
    const at = below(path, entry.key);
    const { value } = entry;
    const isKnown = Object.hasOwn(targetSettings.properties, key) || Object.hasOwn(this.#inline, key);
    if (!isKnown || Object.hasOwn(targetReasons, key)) {
      notes.unmapped(at, entry.keyAt, Object.hasOwn(targetReasons, key) ? (targetReasons[key] ?? '') : 'no such setting here');
      return undefined;
    }
    if (Object.hasOwn(mappings, key)) return this.#mapping(key, value, at);
    if (key === 'custom_host') return addressIn(textOf(value) ?? '', at, entry, this.#conversion);
    if (isNearSecretName(key) || this.#inline[key]?.['writeOnly'] === true) {
      const text = textOf(value);
      if (text !== undefined) return variables.secret(text, keyVariable((type ?? 'target').replace('@', ''), key));
      notes.unmapped(at, entry.keyAt, `write it as \${env:NAME} in ${key}`);
      return undefined;
    }
    return this.#escaped(toValue(value), key);
  }

  #mapping(name: string, node: Node, path: string): unknown {
    if (node.kind !== 'map') return this.#escaped(toValue(node), name);
    const found: Record<string, unknown> = {};
    for (const [key, entry] of this.#byCanonicalKey(node, path)) {
      const at = below(path, entry.key);
      if (!Object.hasOwn(mappings[name] ?? {}, key)) this.#conversion.notes.unmapped(at, entry.keyAt, 'no such setting here');
      else found[key] = Object.hasOwn(mappings, key) ? this.#mapping(key, entry.value, at) : this.#escaped(toValue(entry.value), key);
    }
    return found;
  }

  /** The value with all strings as text, never as references, and without secrets at any depth. */
  #escaped(value: unknown, key: string): unknown {
    if (typeof value === 'string')
      return isSecretName(key) ? this.#conversion.variables.secret(value, keyVariable('target', key)) : escaped(value);
    if (Array.isArray(value)) return value.map((one) => this.#escaped(one, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#escaped(one, name)]));
  }

  /** Notes what the target uses: a virtual key, `@slug` as provider, or `@slug/model` as model. */
  #accountsIn(entries: ReadonlyMap<string, Entry>, type: string | undefined): void {
    const virtual = entries.get('virtual_key');
    const provider = entries.get('provider');
    if (virtual !== undefined) this.#account(`@${textOf(virtual.value) ?? ''}`, type, virtual);
    else if (provider !== undefined) this.#account(type ?? '', undefined, provider);
    const params = entries.get('override_params');
    for (const entry of entriesOf(params?.value)) if (entry.key === 'model') this.#account(textOf(entry.value) ?? '', undefined, entry);
  }

  #account(text: string, type: string | undefined, entry: Entry): void {
    const slug = /^@([^/]+)/.exec(text)?.[1];
    if (slug !== undefined) this.accounts.push({ slug, type: type?.startsWith('@') === true ? undefined : type, entry });
  }
}

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
