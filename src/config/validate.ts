import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { JsonSchema } from '#core/json-schema.ts';
import { isPlain } from '#core/merge.ts';
import { parseDuration, parseSize } from '#core/units.ts';
import type { Kit } from './kit.ts';
import { providerOf } from './kit.ts';
import { child, entriesOf, itemsOf, type MapNode, type Node, type Path, textOf, toValue } from './node.ts';
import { pathOf } from './outside.ts';
import type { Problem, Report } from './problem.ts';
import { gatewaySchema, providerSchema, withNotes } from './schema/join.ts';
import { type SchemaFault, translate } from './translate.ts';

/** Own annotations of our schemas; none of them changes what is valid. */
const annotations = ['x-form', 'x-code'];

/** True when the schema found nothing wrong at or below this path. */
export type Valid = (path: Path) => boolean;

/** Validates the whole tree; each entry of `providers` and each plugin's options by its own schema. */
export function validate(root: MapNode, kit: Kit, report: Report): Valid {
  const bad: string[] = [];
  const ajv = createAjv();
  const run = (schema: JsonSchema, node: Node, path: Path): void => {
    const faults = faultsOf(compile(ajv, schema), toValue(node), path);
    const problems = translate(faults, root, path);
    for (const { problem, at } of problems) {
      bad.push(`${at.join('\n')}\n`);
      report(problem);
    }
  };
  run(gatewaySchema(kit.providers), root, []);
  for (const entry of entriesOf(child(root, 'providers'))) {
    const provider = providerOf(kit, textOf(child(entry.value, 'type')) ?? '');
    if (provider !== undefined && entry.value.kind === 'map') run(providerSchema(provider), entry.value, ['providers', entry.key]);
  }
  validateOptions(root, kit, run, report);
  return (path) => !bad.some((one) => one.startsWith(`${path.join('\n')}\n`));
}

/** Options of plugins are validated by the plugin's own schema; one without options by the empty mapping. */
function validateOptions(root: MapNode, kit: Kit, run: (schema: JsonSchema, node: Node, path: Path) => void, report: Report): void {
  itemsOf(child(root, 'plugins')).forEach((item, i) => {
    const use = child(item, 'use');
    const written = textOf(use);
    const name = textOf(child(item, 'name')) ?? textOf(item);
    const plugin =
      use !== undefined && written !== undefined
        ? kit.outside.get(pathOf(use, written, kit.cwd))
        : kit.plugins.find((one) => one.name === name);
    if (plugin === undefined) return;
    const options = child(item, 'options');
    try {
      if (options?.kind === 'map') run(plugin.options, options, ['plugins', i, 'options']);
      else if (options === undefined) run(plugin.options, { kind: 'map', at: item.at, entries: new Map() }, ['plugins', i]);
    } catch (error) {
      const problem: Problem = {
        code: 'bad-plugin',
        at: item.at,
        message: `the options schema of "${plugin.name}" can not be used: ${(error as Error).message}`,
      };
      report(problem);
    }
  });
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false });
  ajvFormats.default(ajv);
  ajv.addVocabulary(annotations);
  ajv.addKeyword({
    keyword: 'x-range',
    type: 'string',
    schemaType: 'array',
    errors: false,
    validate: ([least, most]: [string, string], text: string) => {
      const value = amount(text);
      return value === undefined || (value >= (amount(least) ?? 0) && value <= (amount(most) ?? Number.MAX_SAFE_INTEGER));
    },
  });
  return ajv;
}

/** Milliseconds of a duration or bytes of a size: the two have no unit in common. */
const amount = (text: string): number | undefined => parseDuration(text) ?? parseSize(text);

function compile(ajv: Ajv2020, schema: JsonSchema): ValidateFunction {
  return ajv.compile(withNotes(schema) as JsonSchema & object);
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

/** Of alternatives, only the one that was meant may complain: the one whose type fits. */
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

/** JSON pointer → path; steps into lists are numbers. */
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
