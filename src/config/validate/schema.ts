import type { JsonSchema } from '../../core/json/schema.ts';
import { isPlain } from '../../core/json/merge.ts';
import type { ProviderEntry } from '../../core/provider.ts';
import { pluginOf, type PluginRegistry, providerOf, providerUnder } from '../read/registry.ts';
import { child, entriesOf, itemsOf, type MapNode, type Node, type Path, textOf, toValue } from '../read/node.ts';
import type { Problem, Report } from '../report/problem.ts';
import { gatewaySchema, providerSchema } from '../schema/join.ts';
import { authSchema } from '../schema/provider-auth.ts';
import type { ErrorObject, ValidateFunction } from './schemas/ajv.ts';
import { type SchemaFault, translate } from './problems.ts';
import { Validators } from './schemas/validators.ts';

/** True when the schema found no error at or below this path. */
export type Valid = (path: Path) => boolean;

/** Validates the whole tree, and each entry of `providers` and each plugin's options by its own schema. */
export async function validate(root: MapNode, registry: PluginRegistry, report: Report, validators = new Validators()): Promise<Valid> {
  /** Paths with errors, and all paths above them. */
  const bad = new Set<string>();
  const run: Run = async (owner, schema, node, path) => {
    const check = await validators.of(owner, schema);
    for (const { problem, at } of translate(faultsOf(check, toValue(node), path), root, path)) {
      for (let end = at.length; end >= 0 && !bad.has(at.slice(0, end).join('\n')); end -= 1) bad.add(at.slice(0, end).join('\n'));
      report(problem);
    }
  };
  await run(registry.providers, () => gatewaySchema(registry.providers), root, []);
  await validateProviders(root, registry, run, report);
  await validateVirtualKeys(root, registry, run);
  await validateOptions(root, registry, run, report);
  return (path) => !bad.has(path.join('\n'));
}

/** Validates another YAML file of the gateway, such as a file of tests. Returns true if it is valid. */
export async function validateBy(schema: JsonSchema, root: MapNode, report: Report, validators: Validators): Promise<boolean> {
  const check = await validators.of(schema, () => schema);
  const found = translate(faultsOf(check, toValue(root), []), root, []);
  for (const { problem } of found) report(problem);
  return found.length === 0;
}

/** Validates a node by the schema of `owner`, which is compiled once. Throws when the schema itself is invalid. */
type Run = (owner: object, schema: () => JsonSchema, node: Node, path: Path) => Promise<void>;

async function validateProviders(root: MapNode, registry: PluginRegistry, run: Run, report: Report): Promise<void> {
  for (const { key, value } of entriesOf(child(root, 'providers'))) {
    const type = child(value, 'type');
    const provider = providerOf(registry, textOf(type) ?? '');
    if (provider === undefined || type === undefined || value.kind !== 'map') continue;
    const attempt = (): Promise<void> => run(provider, () => providerSchema(provider), value, ['providers', key]);
    await orReport(
      attempt,
      { code: 'bad-plugin', at: type.at, message: `the settings schema of type "${provider.type}" cannot be used` },
      report,
    );
  }
}

/** Validates `auth:` of virtual keys, which accepts the modes of the provider's type. */
async function validateVirtualKeys(root: MapNode, registry: PluginRegistry, run: Run): Promise<void> {
  for (const { key, value } of entriesOf(child(root, 'virtual_keys'))) {
    const auth = child(value, 'auth');
    const provider = providerUnder(value, root, registry);
    if (auth?.kind !== 'map' || provider === undefined) continue;
    const { authModes = noModes } = provider.entry;
    await run(authModes, () => authSchema(authModes), auth, ['virtual_keys', key, 'auth']);
  }
}

const noModes: NonNullable<ProviderEntry['authModes']> = Object.freeze({});

/** Validates options by the plugin's own schema; an item without options as an empty mapping. */
async function validateOptions(root: MapNode, registry: PluginRegistry, run: Run, report: Report): Promise<void> {
  // The built-in chain sets up every plugin without options.
  if (child(root, 'plugins') === undefined) {
    for (const plugin of registry.plugins) {
      if (Array.isArray((plugin.options as { required?: unknown }).required))
        await run(plugin, () => plugin.options, { kind: 'map', at: root.at, entries: new Map() }, ['plugins', plugin.name]);
    }
  }
  for (const [i, item] of itemsOf(child(root, 'plugins')).entries()) {
    const plugin = pluginOf(item, registry);
    const options = child(item, 'options');
    if (plugin === undefined || (options !== undefined && options.kind !== 'map')) continue;
    const given = options ?? { kind: 'map', at: item.at, entries: new Map() };
    const attempt = (): Promise<void> => run(plugin, () => plugin.options, given, ['plugins', i, 'options']);
    await orReport(attempt, { code: 'bad-plugin', at: item.at, message: `the options schema of "${plugin.name}" cannot be used` }, report);
  }
}

/** Reports an invalid schema of an external module as a problem of the configuration that names it. */
async function orReport(attempt: () => Promise<void>, problem: Problem, report: Report): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    report({ ...problem, message: `${problem.message}: ${(error as Error).message}` });
  }
}

function faultsOf(check: ValidateFunction, value: unknown, base: Path): SchemaFault[] {
  if (check(value)) return [];
  return withoutBranches(check.errors ?? [])
    .filter((error) => error.propertyName === undefined && error.keyword !== 'if')
    .map((error) => ({
      keyword: error.keyword,
      path: [...base, ...pathIn(value, error.instancePath)],
      params: error.params,
      limit: error.schema,
      schema: error.parentSchema,
      message: error.message ?? '',
    }));
}

/** Drops errors of alternatives that were not meant. The alternative whose type matches is taken as meant. */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let left = [...errors];
  for (const choice of errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf')) {
    const inside = left.filter((error) => error.schemaPath.startsWith(`${choice.schemaPath}/`));
    const branches = Map.groupBy(inside, (error) => error.schemaPath.slice(choice.schemaPath.length + 1).split('/')[0]);
    const meant = [...branches.values()]
      .filter(
        (branch) =>
          !branch.some(
            (error) =>
              ['type', 'const', 'enum'].includes(error.keyword) &&
              error.instancePath.split('/').length <= choice.instancePath.split('/').length + 1,
          ),
      )
      .toSorted((a, b) => a.length - b.length)[0];
    left = left.filter((error) =>
      meant === undefined ? !inside.includes(error) : error !== choice && (!inside.includes(error) || meant.includes(error)),
    );
  }
  return left;
}

/** Converts a JSON pointer to a path. Steps into lists are numbers. */
function pathIn(value: unknown, pointer: string): Path {
  let at = value;
  return pointer
    .split('/')
    .slice(1)
    .map((step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const key = Array.isArray(at) ? Number(name) : name;
      at = Array.isArray(at) ? at[Number(name)] : isPlain(at) ? at[name] : undefined;
      return key;
    });
}
