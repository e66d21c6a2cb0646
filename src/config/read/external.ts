import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { endpoints } from '../../core/endpoint.ts';
import { duties, moments, type Plugin } from '../../core/plugin.ts';
import type { Provider } from '../../core/provider.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { checkRegularFile } from '../../core/files/regular-file.ts';
import { maxConfigFile } from './files.ts';
import { type PluginRegistry, pathOf } from './registry.ts';
import { child, itemsOf, type MapNode, type Node, type SourceLocation, textOf, withValueAt } from './node.ts';
import type { ProblemReporter } from '../report/problem.ts';
import { didYouMean } from '../../core/text/nearest.ts';

/** Plugins and providers that `gateway.yaml` loads from files. */
export interface ExternalModules {
  readonly plugins: PluginRegistry['external'];
  readonly providers: readonly Provider[];
  /** Absolute paths of the provider files. */
  readonly providerPaths: readonly string[];
}

export interface Importer {
  readonly cwd: string;
  /** Built-in providers and plugins: external names must differ from theirs. */
  readonly providers: readonly Provider[];
  readonly plugins: readonly Plugin[];
  importPlugin?(path: string): Promise<unknown>;
}

interface ReservedNames {
  readonly types: ReadonlySet<string>;
  readonly pluginNames: ReadonlySet<string>;
}

/** Imports each file once and checks the shape of its default export. */
export async function importExternal(root: MapNode, importer: Importer, report: ProblemReporter): Promise<ExternalModules> {
  const plugins = new Map<string, Plugin>();
  const providers = new Map<string, Provider>();
  const known: ReservedNames = {
    types: new Set(importer.providers.flatMap((one) => [one.type, ...one.aliases])),
    pluginNames: new Set(importer.plugins.map((one) => one.name)),
  };
  for (const node of [...itemsOf(child(root, 'plugins')).map((item) => child(item, 'use')), ...itemsOf(child(root, 'provider_plugins'))]) {
    const written = textOf(node);
    if (node === undefined || written === undefined || written === '') continue;
    const path = pathOf(node, written, importer.cwd);
    const isProvider = itemsOf(child(root, 'provider_plugins')).includes(node);
    if (plugins.has(path) || providers.has(path)) continue;
    const found = await importModule(path, node.at, importer, report);
    if (found === undefined) continue;
    const problem = isProvider ? providerProblem(found.value, known) : pluginProblem(found.value, known);
    if (problem !== undefined)
      report({
        code: 'bad-plugin',
        at: node.at,
        message: `"${written}" is not a ${isProvider ? 'provider' : 'plugin'}: ${problem}`,
        hint: 'compare it with the example in docs/plugins.md or docs/write-a-provider.md',
        docs: 'plugins',
      });
    else if (isProvider) providers.set(path, found.value as unknown as Provider);
    else plugins.set(path, found.value as unknown as Plugin);
  }
  return { plugins, providers: [...providers.values()], providerPaths: [...providers.keys()] };
}

/** The tree with absolute paths of plugin files, so that the setup does not depend on a working directory. */
export function withAbsolutePaths(root: MapNode, cwd: string): MapNode {
  const absolute = (node: Node): Node => (node.kind === 'scalar' ? { ...node, value: pathOf(node, String(node.value), cwd) } : node);
  const mapItems = (list: Node, make: (item: Node) => Node): Node =>
    list.kind === 'list' ? { ...list, items: list.items.map(make) } : list;
  const withProviders = withValueAt(root, ['provider_plugins'], (list) => mapItems(list, absolute));
  return withValueAt(withProviders, ['plugins'], (list) => mapItems(list, (item) => withValueAt(item, ['use'], absolute)));
}

async function importModule(
  path: string,
  at: SourceLocation,
  importer: Importer,
  report: ProblemReporter,
): Promise<{ value: Record<string, unknown> } | undefined> {
  if (importer.importPlugin === undefined) return undefined;
  try {
    if (existsSync(path)) checkRegularFile(path, maxConfigFile);
    const imported = await importer.importPlugin(path);
    const value = isJsonObject(imported) && 'default' in imported ? imported['default'] : imported;
    // A module without a default export is an object too.
    if (isJsonObject(value) && ['name', 'setup', 'type', 'operations'].some((member) => member in value)) return { value };
    report({
      code: 'bad-plugin',
      at,
      message: 'the file has no default export that is an object',
      hint: 'write export default { … }',
      docs: 'plugins',
    });
  } catch (error) {
    const hint = `the gateway looked for it at ${path}`;
    if (!existsSync(path)) {
      report({ code: 'unreadable-file', at, message: 'the file cannot be read (no such file)', hint });
      return undefined;
    }
    // Node appends the path of the importing file, which is internal and does not help the user.
    const why = error instanceof Error ? error.message.split('\n')[0]?.replace(/ imported from .*$/, '') : 'unknown error';
    report({ code: 'bad-plugin', at, message: `the file cannot be loaded: ${why}${lineOf(error, path)}`, hint });
  }
  return undefined;
}

/** Line of the file, found in either form in which Node's stack traces name it. */
function lineOf(error: unknown, path: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const after = [path, pathToFileURL(path).href].map((name) => stack.split(`${name}:`)[1]).find((text) => text !== undefined);
  const line = /^\d+/.exec(after ?? '')?.[0];
  return line === undefined ? '' : ` (line ${line})`;
}

function pluginProblem(value: Record<string, unknown>, { pluginNames }: ReservedNames): string | undefined {
  if (typeof value['name'] !== 'string' || !/^[a-z0-9][a-z0-9-]*$/.test(value['name']))
    return '"name" must be a string of lower-case letters, digits and "-"';
  if (pluginNames.has(value['name'])) return `the name "${value['name']}" is reserved for a built-in plugin`;
  if (!isJsonObject(value['options'])) return '"options" must be a JSON Schema';
  if (!isListOf(value['moments'], moments)) return `"moments" must be a list of ${moments.join(', ')}`;
  if (!isListOf(value['provides'], duties)) return `"provides" must be a list of ${duties.join(', ')}`;
  if (!isListOf(value['endpoints'], Object.keys(endpoints))) return '"endpoints" must be a list of routes, such as chat/completions';
  return typeof value['setup'] === 'function' ? undefined : '"setup" must be a function';
}

const isListOf = (value: unknown, known: readonly unknown[]): boolean =>
  value === undefined || (Array.isArray(value) && value.every((one) => known.includes(one)));

function providerProblem(value: Record<string, unknown>, { types }: ReservedNames): string | undefined {
  if (typeof value['type'] !== 'string' || value['type'] === '') return '"type" must be a string';
  if (!Array.isArray(value['aliases'])) return '"aliases" must be a list';
  const taken = [value['type'], ...(value['aliases'] as unknown[])].find((name) => typeof name === 'string' && types.has(name));
  if (taken !== undefined) return `the type "${String(taken)}" is built in already`;
  const { entry, operations } = value;
  const routes = Object.keys(endpoints);
  const unknown = isJsonObject(operations) ? Object.keys(operations).find((name) => !routes.includes(name)) : undefined;
  if (unknown !== undefined) return `"operations" has "${unknown}", which is no route.${didYouMean(unknown, routes)}`;
  if (!isJsonObject(entry)) return '"entry" must be an object';
  if (!isJsonObject(entry['settings'])) return '"entry.settings" must be a JSON Schema';
  if (!Array.isArray(entry['requestSettings'])) return '"entry.requestSettings" must be a list';
  if (!['required', 'optional', 'none'].includes(entry['apiKey'] as string))
    return '"entry.apiKey" must be "required", "optional" or "none"';
  if (!isJsonObject(operations) || !Object.values(operations).every((one) => isJsonObject(one) && typeof one['begin'] === 'function'))
    return '"operations" must be an object whose members have a function "begin"';
  return typeof entry['credential'] === 'function' && typeof value['fault'] === 'function'
    ? undefined
    : '"entry.credential" and "fault" must be functions';
}
