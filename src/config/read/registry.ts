import { dirname, resolve } from 'node:path';
import type { Duty, Plugin } from '../../core/plugin.ts';
import type { Provider } from '../../core/provider.ts';
import { withoutAt } from '../../core/model/model-name.ts';
import { child, itemsOf, type MapNode, type Node, textOf } from './node.ts';

/** What a configuration may name: providers (external ones included), plugins, and external plugins by absolute path. */
export interface PluginRegistry {
  readonly providers: readonly Provider[];
  readonly plugins: readonly Plugin[];
  readonly external: ReadonlyMap<string, Plugin>;
  /** Base of relative paths in text that is not in a file. */
  readonly cwd: string;
}

/** The provider for a value of `type:`. */
export function providerOf(registry: PluginRegistry, type: string): Provider | undefined {
  return registry.providers.find((one) => one.type === type || one.aliases.includes(type));
}

/** The plugin for an item of `plugins:`. */
export function pluginOf(item: Node, { plugins, external, cwd }: PluginRegistry): Plugin | undefined {
  const use = child(item, 'use');
  const path = textOf(use);
  if (use !== undefined && path !== undefined) return external.get(pathOf(use, path, cwd));
  const name = textOf(item) ?? textOf(child(item, 'name'));
  return plugins.find((plugin) => plugin.name === name);
}

/** The plugins of the chain as configured, without unknown names; the built-in chain when `plugins` is not set. */
export function chainOf(root: MapNode, registry: PluginRegistry): readonly Plugin[] {
  const written = child(root, 'plugins');
  return written === undefined ? registry.plugins : itemsOf(written).flatMap((item) => pluginOf(item, registry) ?? []);
}

export const provides = (chain: readonly Plugin[], duty: Duty): boolean => chain.some((plugin) => plugin.provides?.includes(duty) === true);

/** Name of the built-in plugin for a duty, for hints. */
export const builtInFor = (duty: Duty, { plugins }: PluginRegistry): string =>
  plugins.find((plugin) => provides([plugin], duty))?.name ?? duty;

/** Absolute path. Paths in the configuration are relative to the file that names them. */
export function pathOf(node: Node, written: string, cwd: string): string {
  return resolve(node.at.file.path === '' ? cwd : dirname(node.at.file.path), written);
}

/** All valid values of `type:`. */
export function typeNames(registry: PluginRegistry): string[] {
  return registry.providers.flatMap((one) => [one.type, ...one.aliases]);
}

/** Slug of the provider that a virtual key refers to; undefined if it names none. */
export function slugOfVirtualKey(virtualKey: Node | undefined): string | undefined {
  const written = textOf(child(virtualKey, 'provider'));
  return written === undefined ? undefined : withoutAt(written);
}

/** Provider type of the provider that a virtual key refers to. */
export function providerOfVirtualKey(virtualKey: Node, root: MapNode, registry: PluginRegistry): Provider | undefined {
  return providerOf(registry, textOf(child(child(child(root, 'providers'), slugOfVirtualKey(virtualKey) ?? ''), 'type')) ?? '');
}
