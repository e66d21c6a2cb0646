import type { JsonSchema } from '../../core/json/schema.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { ProviderEntry } from '../../core/provider.ts';
import { pluginOf, type PluginRegistry, providerOf, providerOfVirtualKey } from '../read/registry.ts';
import { child, entriesOf, itemsOf, type MapNode, type Node, type Path, textOf, toValue } from '../read/node.ts';
import type { Problem, ProblemReporter } from '../report/problem.ts';
import { gatewaySchema, providerSchema } from '../schema/join.ts';
import { authSchema } from '../schema/provider-auth.ts';
import type { ErrorObject, ValidateFunction } from './schemas/ajv.ts';
import { type SchemaError, toProblems } from './problems.ts';
import { Validators } from './schemas/validators.ts';

/** True when the schema found no error at or below this path. */
export type IsValid = (path: Path) => boolean;

/** Validates the whole tree, and each entry of `providers` and each plugin's options by its own schema. */
export async function validate(
  root: MapNode,
  registry: PluginRegistry,
  report: ProblemReporter,
  validators = new Validators(),
): Promise<IsValid> {
  /** Paths with errors, and all paths above them. */
  const invalidPaths = new Set<string>();
  const validateNode: ValidateNode = async (owner, schema, node, path) => {
    const check = await validators.of(owner, schema);
    for (const { problem, at } of toProblems(faultsOf(check, toValue(node), path), root, path)) {
      for (let end = at.length; end >= 0 && !invalidPaths.has(at.slice(0, end).join('\n')); end -= 1)
        invalidPaths.add(at.slice(0, end).join('\n'));
      report(problem);
    }
  };
  await validateNode(registry.providers, () => gatewaySchema(registry.providers), root, []);
  await validateProviders(root, registry, validateNode, report);
  await validateVirtualKeys(root, registry, validateNode);
  await validateOptions(root, registry, validateNode, report);
  return (path) => !invalidPaths.has(path.join('\n'));
}

/** Validates another YAML file of the gateway, such as a file of tests. Returns true if it is valid. */
export async function validateBy(schema: JsonSchema, root: MapNode, report: ProblemReporter, validators: Validators): Promise<boolean> {
  const check = await validators.of(schema, () => schema);
  const found = toProblems(faultsOf(check, toValue(root), []), root, []);
  for (const { problem } of found) report(problem);
  return found.length === 0;
}

/** Validates a node by the schema of `owner`, which is compiled once. Throws when the schema itself is invalid. */
type ValidateNode = (owner: object, schema: () => JsonSchema, node: Node, path: Path) => Promise<void>;

async function validateProviders(root: MapNode, registry: PluginRegistry, run: ValidateNode, report: ProblemReporter): Promise<void> {
  for (const { key, value } of entriesOf(child(root, 'providers'))) {
    const type = child(value, 'type');
    const provider = providerOf(registry, textOf(type) ?? '');
    if (provider === undefined || type === undefined || value.kind !== 'map') continue;
    const attempt = (): Promise<void> => run(provider, () => providerSchema(provider), value, ['providers', key]);
    await runOrReport(
      attempt,
      { code: 'bad-plugin', at: type.at, message: `the settings schema of type "${provider.type}" cannot be used` },
      report,
    );
  }
}

/** Validates `auth:` of virtual keys, which accepts the modes of the provider's type. */
async function validateVirtualKeys(root: MapNode, registry: PluginRegistry, run: ValidateNode): Promise<void> {
  for (const { key, value } of entriesOf(child(root, 'virtual_keys'))) {
    const auth = child(value, 'auth');
    const provider = providerOfVirtualKey(value, root, registry);
    if (auth?.kind !== 'map' || provider === undefined) continue;
    const { authModes = noModes } = provider.entry;
    await run(authModes, () => authSchema(authModes), auth, ['virtual_keys', key, 'auth']);
  }
}

const noModes: NonNullable<ProviderEntry['authModes']> = Object.freeze({});

/** Validates options by the plugin's own schema; an item without options as an empty mapping. */
async function validateOptions(root: MapNode, registry: PluginRegistry, run: ValidateNode, report: ProblemReporter): Promise<void> {
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
    const optionsNode = options ?? { kind: 'map', at: item.at, entries: new Map() };
    const attempt = (): Promise<void> => run(plugin, () => plugin.options, optionsNode, ['plugins', i, 'options']);
    await runOrReport(
      attempt,
      { code: 'bad-plugin', at: item.at, message: `the options schema of "${plugin.name}" cannot be used` },
      report,
    );
  }
}

/** Reports an invalid schema of an external module as a problem of the configuration that names it. */
async function runOrReport(attempt: () => Promise<void>, problem: Problem, report: ProblemReporter): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    report({ ...problem, message: `${problem.message}: ${(error as Error).message}` });
  }
}

function faultsOf(check: ValidateFunction, value: unknown, base: Path): SchemaError[] {
  if (check(value)) return [];
  return withoutUnintendedBranches(check.errors ?? [])
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
function withoutUnintendedBranches(errors: readonly ErrorObject[]): ErrorObject[] {
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
      at = Array.isArray(at) ? at[Number(name)] : isJsonObject(at) ? at[name] : undefined;
      return key;
    });
}
