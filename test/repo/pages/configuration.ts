import { providers, stages } from '../../../plugins/index.ts';
import type { Provider } from '../../../src/core/provider.ts';
import { providerCommon } from '../../../src/config/schema/catalog.ts';
import { gatewaySchema, inlineSettings } from '../../../src/config/schema/join.ts';

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const child = (schema: Schema, ...path: readonly string[]): Schema =>
  path.reduce<Schema>((at, key) => {
    const next = at[key];
    if (!isSchema(next)) throw new Error(`the schema has no ${path.join('.')}`);
    return next;
  }, schema);

/** A bare word stays bare. */
const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const types = (type: unknown): string => (Array.isArray(type) ? type.map(show).join(' or ') : show(type ?? 'any'));

/** What a value looks like, in a few words. */
function typeText(schema: Schema): string {
  if (typeof schema['x-form'] === 'string') return schema['x-form'];
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `\`${show(value)}\``).join(', ');
  if (schema['const'] !== undefined) return `\`${show(schema['const'])}\``;
  const type = types(schema['type']).replace('object', 'mapping').replace('array', 'list').replace('string', 'text');
  const [low, high] = [schema['minimum'], schema['maximum']];
  if (low === undefined && high === undefined) return type;
  return high === undefined ? `${type}, ${show(low)} or more` : `${type}, ${show(low)} to ${show(high)}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Rows for the keys of a mapping; a mapping of known keys below it gets rows of its own. */
function rows(properties: Schema, path: string, required: readonly unknown[]): string[] {
  return Object.entries(properties).flatMap(([key, value]) => {
    const schema = isSchema(value) ? value : {};
    const preset =
      schema['default'] === undefined ? (required.includes(key) ? 'required' : '') : `\`${JSON.stringify(schema['default'])}\``;
    const about = typeof schema['description'] === 'string' ? schema['description'] : '';
    const row = `| \`${path}${key}\` | ${cell(typeText(schema))} | ${cell(preset)} | ${cell(about)} |`;
    return [row, ...below(schema, `${path}${key}`)];
  });
}

function below(schema: Schema, path: string): string[] {
  if (isSchema(schema['properties'])) return rows(schema['properties'], `${path}.`, list(schema['required']));
  const items = schema['items'];
  if (isSchema(items) && isSchema(items['properties'])) return rows(items['properties'], `${path}[].`, list(items['required']));
  const named = schema['additionalProperties'];
  return isSchema(named) && isSchema(named['properties']) ? rows(named['properties'], `${path}.<name>.`, list(named['required'])) : [];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function table(schema: Schema, path = ''): string {
  const properties = schema['properties'];
  const lines = isSchema(properties) ? rows(properties, path, list(schema['required'])) : [];
  if (lines.length === 0) return 'No additional keys.';
  return `| Key | Form | Default | Meaning |\n|---|---|---|---|\n${lines.join('\n')}`;
}

const about = (schema: Schema): string => (typeof schema['description'] === 'string' ? schema['description'] : '');

const example = `\`\`\`yaml
version: 1
include: [keys/*.yaml]
providers:
  openai-main: {type: openai, api_key: "\${env:OPENAI_API_KEY}"}
configs:
  draft: {targets: [openai-main/gpt-4o-mini]}
\`\`\``;

/** Aliases that only old configurations use. */
const neutral = /^(?:cloud-)?(?:provider|vendor)-[a-z]$|^cloud-ai$/;

/** Keys that only old configurations use: another one has the name of the service. */
const neutralKey = /^(?:cloud|vendor)_/;

const hasOwn = ({ entry: { settings, authModes } }: Provider): boolean =>
  authModes !== undefined || Object.keys(isSchema(settings['properties']) ? settings['properties'] : {}).length > 0;

/** The keys of a config and of a target that do not depend on the type of a provider. */
function targetSchema(schema: Schema): Schema {
  const ofProviders = inlineSettings(providers);
  const properties = child(schema, '$defs', 'target', 'properties');
  return { properties: Object.fromEntries(Object.entries(properties).filter(([key]) => !Object.hasOwn(ofProviders, key))) };
}

/** Further keys of configs, each with its other names. */
function settingsInConfigs(): string {
  const lines = providers.flatMap(({ type, entry: { requestSettings } }) =>
    requestSettings.map(({ setting, keys }) => {
      const others = keys.filter((key) => key !== setting && !neutralKey.test(key)).map((key) => `\`${key}\``);
      return `| \`${type}\` | \`${setting}\` | ${others.join(', ')} |`;
    }),
  );
  const head = '| Type | Key | Also accepted as |\n|---|---|---|';
  return `### Settings of a provider type in a config\n\nIn [direct mode](providers.md#direct-mode), a config may also have these settings of the provider type. The tables of the types above describe the keys; [Headers](headers.md#settings-of-a-provider) lists the headers with the same effect.\n\n${head}\n${lines.join('\n')}`;
}

/** `docs/configuration.md`, made from the schema that `gateway check` and editors use. */
export function configurationPage(): string {
  const schema = gatewaySchema(providers) as Schema;
  const top = child(schema, 'properties');
  const simple = Object.fromEntries(
    Object.entries(top).filter(([key]) => ['version', 'include', 'plugins', 'provider_plugins'].includes(key)),
  );
  const kinds = providers.filter(hasOwn).map((provider) => {
    const names = [provider.type, ...provider.aliases.filter((alias) => !neutral.test(alias))].map((name) => `\`${name}\``).join(' or ');
    const signing = Object.entries(provider.entry.authModes ?? {}).map(([name, mode]) => {
      const modeNames = [name, ...mode.aliases].map((name) => `\`${name}\``).join(' or ');
      return `\`auth.mode\` ${modeNames} uses ${mode.about}:\n\n${table({ properties: mode.properties, required: mode.required }, 'auth.')}`;
    });
    return [`### type ${names}`, table(provider.entry.settings), ...signing].join('\n\n');
  });
  const options = stages.filter(
    (stage) => Object.keys(isSchema(stage.options['properties']) ? stage.options['properties'] : {}).length > 0,
  );
  return [
    '# Configuration',
    example,
    '`gateway.yaml` is YAML 1.2 or JSON. Unknown keys are errors, except keys that start with `x-`, which you can use for notes and anchors. Every string may contain `${env:NAME}` (an environment variable), `${env:NAME:-default}` and `${file:path}` (the content of a file). `$${` is a literal `${`. Inside `{…}` and `[…]`, put such strings in quotes.',
    '`gateway config show` prints each value that applies with its file and line, or `default`; references stay references. A path limits it to a part: `gateway config show server`. Configs have no rows for defaults, since targets inherit what they leave out.',
    '`gateway fmt` formats the file and those that it includes: sections in the order of this page with an empty line between long ones, `snake_case` keys in configs, no trailing white space. Values and comments stay. It leaves a file as it is if an alias would then precede its anchor. `--fix` also replaces old names, `--check` changes nothing and exits with 1 if a file is not formatted.',
    '`gateway config schema > gateway.schema.json` writes a JSON Schema for editors. Editors with the YAML language server use it if the first line of `gateway.yaml` is `# yaml-language-server: $schema=gateway.schema.json`.',
    `## Top level\n\n${table({ properties: simple, required: schema['required'] })}`,
    ...options.map((stage) => `### Options of the plugin \`${stage.name}\`\n\n${table(stage.options)}`),
    ...['server', 'logging', 'observability'].map((key) => `## ${key}\n\n${about(child(top, key))}\n\n${table(child(top, key))}`),
    `## providers\n\n${about(child(top, 'providers'))}\n\n${table(providerCommon)}`,
    ...kinds,
    `### other types\n\n${providers.flatMap((one) => (hasOwn(one) ? [] : [`\`${one.type}\``])).join(', ')} have no additional keys: see [services known by name](services.md).`,
    ...['virtual_keys', 'api_keys'].map(
      (key) => `## ${key}\n\n${about(child(top, key))}\n\n${table(child(top, key, 'additionalProperties'))}`,
    ),
    `## auth\n\n${about(child(top, 'auth'))} [Keys and tokens](keys.md) shows how they are used.\n\n${table(child(top, 'auth'))}`,
    `## configs\n\n${about(child(top, 'configs'))} The same keys are allowed in a config and in each of its targets; a target inherits the keys that it does not set. camelCase is accepted too.\n\n${table(targetSchema(schema))}`,
    settingsInConfigs(),
    `## prompts\n\n${about(child(top, 'prompts'))} A prompt has one version, written directly below its name, or several below \`versions\`. [Prompts](prompts.md) shows how they are used.\n\n${table(child(top, 'prompts', 'additionalProperties'))}`,
    `## pricing\n\n${about(child(top, 'pricing'))} [Costs](costs.md) shows how they are used.\n\n${table(child(top, 'pricing', 'additionalProperties'))}`,
    '## When it goes wrong\n\n`npm run gateway -- check` prints file, line and column of every error, and what to write instead.\n',
  ].join('\n\n');
}
