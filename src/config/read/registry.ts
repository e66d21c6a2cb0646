import { dirname, resolve } from 'node:path';
import type { Duty, Plugin } from '../../core/plugin.ts';
import type { Provider } from '../../core/provider.ts';
import { child, itemsOf, type MapNode, type Node, textOf } from './node.ts';

/** What a configuration may name: providers (external ones included), stages, and external plugins by absolute path. */
export interface PluginRegistry {
  readonly providers: readonly Provider[];
  readonly plugins: readonly Plugin[];
  readonly external: ReadonlyMap<string, Plugin>;
  /** What paths in a text without a file are relative to. */
  readonly cwd: string;
}

/** The provider of a word behind `type:`. */
export function providerOf(registry: PluginRegistry, type: string): Provider | undefined {
  return registry.providers.find((one) => one.type === type || one.aliases.includes(type));
}

/** The plugin that an item of `plugins:` means. */
export function pluginOf(item: Node, { plugins, external, cwd }: PluginRegistry): Plugin | undefined {
  const use = child(item, 'use');
  const path = textOf(use);
  if (use !== undefined && path !== undefined) return external.get(pathOf(use, path, cwd));
  const name = textOf(item) ?? textOf(child(item, 'name'));
  return plugins.find((plugin) => plugin.name === name);
}

/** The chain as it is written, without what no plugin is called; what comes with the gateway where it is left out. */
export function chainOf(root: MapNode, registry: PluginRegistry): readonly Plugin[] {
  const written = child(root, 'plugins');
  return written === undefined ? registry.plugins : itemsOf(written).flatMap((item) => pluginOf(item, registry) ?? []);
}

export const provides = (chain: readonly Plugin[], duty: Duty): boolean => chain.some((plugin) => plugin.provides?.includes(duty) === true);

/** The plugin that comes with the gateway for a duty, for hints. */
export const builtInFor = (duty: Duty, { plugins }: PluginRegistry): string =>
  plugins.find((plugin) => provides([plugin], duty))?.name ?? duty;

/** A path in the configuration is relative to the file that names it. */
export function pathOf(node: Node, written: string, cwd: string): string {
  return resolve(node.at.file.path === '' ? cwd : dirname(node.at.file.path), written);
}

/** Every word that may be behind `type:`. */
export function typeNames(registry: PluginRegistry): string[] {
  return registry.providers.flatMap((one) => [one.type, ...one.aliases]);
}

/** The type of the entry that a virtual key stands for. */
export function providerUnder(virtualKey: Node, root: MapNode, registry: PluginRegistry): Provider | undefined {
  const slug = textOf(child(virtualKey, 'provider'))?.replace(/^@/, '') ?? '';
  return providerOf(registry, textOf(child(child(child(root, 'providers'), slug), 'type')) ?? '');
}
