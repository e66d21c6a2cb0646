import type { PluginRegistry } from './registry.ts';
import { type Entry, type ListNode, type MapNode, type Node, mapEntries, withValueAt } from './node.ts';
import { locationText, type ProblemReporter } from '../report/problem.ts';
import { inlineSettings } from '../schema/join.ts';
import { targetSettings } from '../schema/target.ts';
import { canonicalKey } from './key-aliases.ts';

/** Mappings of a target whose keys the gateway defines. All others are passed on and keep their spelling. */
const gatewayMappings: ReadonlySet<string> = new Set(['strategy', 'cb_config', 'retry', 'cache', 'timeouts']);

/** Converts the keys of config objects to their canonical spelling. Diagnostics still show what is written. */
export function canonicalizeKeys(root: MapNode, registry: PluginRegistry, report: ProblemReporter): MapNode {
  const known = new Set([
    ...Object.keys(targetSettings.properties),
    'targets',
    ...Object.keys(inlineSettings(registry.providers)),
    ...unsupportedKeys,
  ]);
  const canonicalizer = new KeyCanonicalizer(known, report);
  return withValueAt(root, ['configs'], (configs) =>
    configs.kind === 'map' ? mapEntries(configs, (entry) => ({ ...entry, value: canonicalizer.target(entry.value) })) : configs,
  );
}

/** Known but unsupported keys of config objects (see unsupported.ts). Their camelCase spelling is handled the same way. */
const unsupportedKeys = [
  'input_guardrails',
  'output_guardrails',
  'before_request_hooks',
  'after_request_hooks',
  'input_mutators',
  'output_mutators',
  'prompt_id',
];

class KeyCanonicalizer {
  readonly #known: ReadonlySet<string>;
  readonly #report: ProblemReporter;

  constructor(known: ReadonlySet<string>, report: ProblemReporter) {
    this.#known = known;
    this.#report = report;
  }

  target(node: Node): Node {
    return this.#keys(
      node,
      (key) => this.#known.has(key),
      (key, value) => {
        if (key === 'targets' && value.kind === 'list')
          return { ...value, items: value.items.map((item) => this.target(item)) } satisfies ListNode;
        return gatewayMappings.has(key) ? this.#mapping(value) : value;
      },
    );
  }

  #mapping(node: Node): Node {
    return this.#keys(
      node,
      () => true,
      (key, value) => (gatewayMappings.has(key) ? this.#mapping(value) : value),
    );
  }

  #keys(node: Node, known: (key: string) => boolean, mapValue: (key: string, value: Node) => Node): Node {
    if (node.kind !== 'map') return node;
    const entries = new Map<string, Entry>();
    for (const entry of node.entries.values()) {
      const canonical = canonicalKey(entry.key);
      const key = known(canonical) ? canonical : entry.key;
      const first = entries.get(key);
      if (first === undefined) entries.set(key, { ...entry, key, value: mapValue(key, entry.value) });
      else this.#conflict(entry, first);
    }
    return { ...node, entries };
  }

  #conflict(entry: Entry, first: Entry): void {
    const hint = `"${first.written}" is at ${locationText(first.keyAt)}: remove one`;
    this.#report({ code: 'conflict', at: entry.keyAt, message: `"${entry.written}" and "${first.written}" are the same key`, hint });
  }
}
