import { basename } from 'node:path';
import { child, type Entry, type MapNode, type Node, textOf } from '../../../../config/read/node.ts';
import { parse, sourceFile } from '../../../../config/read/yaml/parse.ts';
import type { Conversion } from '../conversion.ts';
import { SourceSection } from '../section.ts';
import type { SourceTree } from '../source.ts';

/** A saved config and its name. */
export interface SavedConfig {
  readonly name: string;
  readonly node: MapNode;
  readonly description: string | undefined;
}

/** What a response of the configs API says besides the config, and no request needs. */
const administrative = [
  'id',
  'object',
  'type',
  'organisation_id',
  'workspace_id',
  'owner_id',
  'updated_by',
  'created_at',
  'last_updated_at',
  'version_id',
];

/**
 * The configs of a file: one config, a list of them, or the response of the API that reads or lists them. A config without a slug
 * has the name of its file.
 */
export function savedConfigs({ name: file, root }: SourceTree, conversion: Conversion): readonly SavedConfig[] {
  const { notes } = conversion;
  const stem =
    basename(file)
      .replace(/\.[^.]*$/, '')
      .replaceAll(/[^\w.-]+/g, '-') || 'config';
  const found: SavedConfig[] = [];
  const visit = (node: Node, path: string): void => {
    if (node.kind === 'list') node.items.forEach((item) => visit(item, path === '' ? '[]' : `${path}[]`));
    else if (node.kind !== 'map') notes.unmapped(path === '' ? 'file' : path, node.at, 'it is not a config');
    else if (child(node, 'data') !== undefined) {
      const section = new SourceSection(path, notes, [node]);
      const data = section.take('data');
      for (const key of ['success', 'object', 'total']) section.take(key);
      section.reportRemaining({});
      if (data !== undefined) visit(data.value, section.pathOf('data'));
    } else if (child(node, 'config') !== undefined && child(node, 'targets') === undefined && child(node, 'strategy') === undefined)
      found.push(...unwrapConfig(node, path, stem, conversion));
    else if (isListed(node)) notes.unmapped(path === '' ? 'file' : path, node.at, isVirtualKey(node) ? virtualKey : listed);
    else found.push({ name: stem, node, description: undefined });
  };
  visit(root, '');
  return found;
}

const listed = 'it has no config: a list of the API contains none, fetch each config';
const virtualKey = 'it is a virtual key without its secret: convert the configs that use it, or add it to providers and virtual_keys';

const isVirtualKey = (node: MapNode): boolean =>
  textOf(child(node, 'object')) === 'virtual-key' ||
  ['ai_provider_name', 'masked_api_key', 'model_config'].some((key) => node.entries.has(key));

/** An entry of a list that the API returns, which has no config. */
const isListed = (node: MapNode): boolean => ['slug', 'organisation_id', 'workspace_id'].some((key) => node.entries.has(key));

/** A config with its name and slug around it. */
function unwrapConfig(node: MapNode, path: string, stem: string, { notes }: Conversion): readonly SavedConfig[] {
  const section = new SourceSection(path, notes, [node]);
  const config = section.take('config');
  const slug = section.text('slug')?.value;
  const title = section.text('name')?.value;
  const id = textOf(child(node, 'id'));
  const status = section.text('status');
  for (const key of administrative) section.take(key);
  const defaultFlag = section.take('is_default');
  if (defaultFlag !== undefined && !isOff(defaultFlag.value))
    notes.unmapped(section.pathOf('is_default'), defaultFlag.keyAt, 'write the config as default_config of an API key');
  section.reportRemaining({});
  if (status !== undefined && status.value !== 'active')
    notes.different(section.pathOf('status'), status.entry.keyAt, 'the config can be used although it is not active there');
  const inner = config === undefined ? undefined : innerOf(config);
  if (config === undefined || inner?.kind !== 'map') {
    notes.unmapped(section.pathOf('config'), config?.keyAt ?? node.at, 'it is not a config');
    return [];
  }
  const name = slug ?? id ?? title?.toLowerCase().replaceAll(/[^\w.-]+/g, '-') ?? stem;
  return [{ name, node: inner, description: title === name ? undefined : title }];
}

/** The API writes 0 or 1. */
const isOff = (node: Node): boolean => node.kind === 'scalar' && (node.value === 0 || node.value === false);

/** The config itself, also if it is JSON in a string. */
function innerOf({ value }: Entry): Node | undefined {
  const text = textOf(value);
  if (text === undefined) return value;
  const { file, text: clean } = sourceFile('', `${value.at.file.name}:${value.at.line} (config)`, text);
  let isBroken = false;
  const { root } = parse(
    file,
    clean,
    () => (isBroken = true),
    () => undefined,
  );
  return isBroken ? undefined : root;
}
