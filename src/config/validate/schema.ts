import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { JsonSchema } from '../../core/json/schema.ts';
import { isPlain } from '../../core/json/merge.ts';
import type { ProviderEntry } from '../../core/provider.ts';
import { pluginOf, type PluginRegistry, providerOf, providerUnder } from '../read/registry.ts';
import { child, entriesOf, itemsOf, type MapNode, type Node, type Path, textOf, toValue } from '../read/node.ts';
import type { Problem, Report } from '../report/problem.ts';
import { gatewaySchema, providerSchema, withNotes } from '../schema/join.ts';
import { authSchema } from '../schema/provider-auth.ts';
import { type SchemaFault, translate } from './problems.ts';
import { isWithin, type Range } from './range.ts';

/** Custom annotations of the schemas. They do not affect validation. */
const annotations = ['x-form', 'x-code', 'x-hints'];

/** True when the schema found no error at or below this path. */
export type Valid = (path: Path) => boolean;

/**
 * Compiled schemas by their owner: a list, provider or plugin. Compiling is most of the work of a load, so keep one
 * instance for several loads.
 */
export class Validators {
  readonly #ajv = createAjv();
  readonly #compiled = new WeakMap<object, ValidateFunction>();
  readonly #ours: ReadonlySet<object>;

  /** @param ours owners of built-in schemas, which tests validate and loads do not */
  constructor(ours: Iterable<object> = []) {
    this.#ours = new Set(ours);
  }

  /**
   * @param schema makes the schema of `owner` if it is not compiled yet
   * @throws Error when it is not a valid schema
   */
  of(owner: object, schema: () => JsonSchema): ValidateFunction {
    const known = this.#compiled.get(owner);
    if (known !== undefined) return known;
    const made = withNotes(schema()) as JsonSchema & object;
    if (!this.#ours.has(owner)) void this.#ajv.validateSchema(made, true);
    const compiled = this.#ajv.compile(made);
    this.#compiled.set(owner, compiled);
    return compiled;
  }
}

/** Validates the whole tree, and each entry of `providers` and each plugin's options by its own schema. */
export function validate(root: MapNode, registry: PluginRegistry, report: Report, validators = new Validators()): Valid {
  /** Paths with errors, and all paths above them. */
  const bad = new Set<string>();
  const run: Run = (owner, schema, node, path) => {
    const check = validators.of(owner, schema);
    for (const { problem, at } of translate(faultsOf(check, toValue(node), path), root, path)) {
      for (let end = at.length; end >= 0 && !bad.has(at.slice(0, end).join('\n')); end -= 1) bad.add(at.slice(0, end).join('\n'));
      report(problem);
    }
  };
  run(registry.providers, () => gatewaySchema(registry.providers), root, []);
  validateProviders(root, registry, run, report);
  validateVirtualKeys(root, registry, run);
  validateOptions(root, registry, run, report);
  return (path) => !bad.has(path.join('\n'));
}

/** Validates a node by the schema of `owner`, which is compiled once. Throws when the schema itself is invalid. */
type Run = (owner: object, schema: () => JsonSchema, node: Node, path: Path) => void;

function validateProviders(root: MapNode, registry: PluginRegistry, run: Run, report: Report): void {
  for (const { key, value } of entriesOf(child(root, 'providers'))) {
    const type = child(value, 'type');
    const provider = providerOf(registry, textOf(type) ?? '');
    if (provider === undefined || type === undefined || value.kind !== 'map') continue;
    const attempt = (): void => run(provider, () => providerSchema(provider), value, ['providers', key]);
    orReport(
      attempt,
      { code: 'bad-plugin', at: type.at, message: `the settings schema of type "${provider.type}" cannot be used` },
      report,
    );
  }
}

/** Validates `auth:` of virtual keys, which accepts the modes of the provider's type. */
function validateVirtualKeys(root: MapNode, registry: PluginRegistry, run: Run): void {
  for (const { key, value } of entriesOf(child(root, 'virtual_keys'))) {
    const auth = child(value, 'auth');
    const provider = providerUnder(value, root, registry);
    if (auth?.kind !== 'map' || provider === undefined) continue;
    const { authModes = noModes } = provider.entry;
    run(authModes, () => authSchema(authModes), auth, ['virtual_keys', key, 'auth']);
  }
}

const noModes: NonNullable<ProviderEntry['authModes']> = Object.freeze({});

/** Validates options by the plugin's own schema; an item without options as an empty mapping. */
function validateOptions(root: MapNode, registry: PluginRegistry, run: Run, report: Report): void {
  // The built-in chain sets up every plugin without options.
  if (child(root, 'plugins') === undefined) {
    for (const plugin of registry.plugins) {
      if (Array.isArray((plugin.options as { required?: unknown }).required))
        run(plugin, () => plugin.options, { kind: 'map', at: root.at, entries: new Map() }, ['plugins', plugin.name]);
    }
  }
  itemsOf(child(root, 'plugins')).forEach((item, i) => {
    const plugin = pluginOf(item, registry);
    const options = child(item, 'options');
    if (plugin === undefined || (options !== undefined && options.kind !== 'map')) return;
    const attempt = (): void => {
      const given = options ?? { kind: 'map', at: item.at, entries: new Map() };
      run(plugin, () => plugin.options, given, ['plugins', i, 'options']);
    };
    orReport(attempt, { code: 'bad-plugin', at: item.at, message: `the options schema of "${plugin.name}" cannot be used` }, report);
  });
}

/** Reports an invalid schema of an external module as a problem of the configuration that names it. */
function orReport(attempt: () => void, problem: Problem, report: Report): void {
  try {
    attempt();
  } catch (error) {
    report({ ...problem, message: `${problem.message}: ${(error as Error).message}` });
  }
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, validateSchema: false, code: { optimize: false } });
  ajvFormats.default(ajv);
  ajv.addVocabulary(annotations);
  ajv.addKeyword({
    keyword: 'x-range',
    type: 'string',
    schemaType: 'array',
    errors: false,
    validate: (range: Range, text: string) => isWithin(text, range),
  });
  return ajv;
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
