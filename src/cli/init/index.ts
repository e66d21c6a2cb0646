import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { keyVariable, yamlOf } from '../../config/edit/new-entry.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import type { Provider } from '../../core/provider.ts';
import { displayPath } from '../../core/text/display-path.ts';
import { typesOf } from '../providers/catalog.ts';
import { isVariable, keySettingFor, problemsOf } from '../providers/draft.ts';
import { askFor } from '../providers/questions.ts';
import { replaceFile } from '../../manage/keys/replace-file.ts';
import { typesWithKeyIn } from '../start/try-out.ts';
import { checkOutputName, CommandError, exitCodes } from '../command.ts';
import { jsonText } from '../text.ts';
import { reasonOf } from '../../config/read/files.ts';
import { Refusal } from '../../manage/refusal.ts';
import { addToGitIgnore } from './git-ignore.ts';

export interface InitFlags {
  readonly provider?: string | undefined;
  /** `VARIABLE` for the provider, or `NAME=VARIABLE` for a named one. */
  readonly keyEnv?: readonly string[] | undefined;
  readonly fallback?: readonly string[] | undefined;
  readonly file?: string | undefined;
  readonly force?: boolean | undefined;
  readonly input?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * `gateway init`: writes a small commented configuration for the named providers, or for those whose keys are in the
 * environment, and lines in `.gitignore`. Overwrites a file only with `--force`. Returns the exit code.
 */
export async function init(flags: InitFlags, io: CliIo, registry: Registry): Promise<number> {
  checkOutputName(flags.file, 'To print the configuration, use --dry-run.');
  const path = resolve(io.cwd, flags.file ?? 'gateway.yaml');
  const shown = displayPath(path, io.cwd);
  if (flags.dryRun !== true && flags.force !== true && existsSync(path)) {
    throw new CommandError(exitCodes.no, `${shown} already exists: choose another file with --file, or replace it with --force`);
  }
  const entries = await chooseProviders(flags, io, registry);
  const text = textOf(entries);
  if (flags.dryRun === true) io.stdout.write(flags.json === true ? asJson(entries, null) : text);
  else {
    replaceFile(path, text, shown, flags.force === true ? undefined : null);
    io.stdout.write(flags.json === true ? asJson(entries, shown) : `wrote ${shown}\n`);
    io.stderr.write(ignoreSecrets(dirname(path), io.cwd));
    io.stderr.write(nextSteps(entries, flags.file === undefined ? '' : ` -c ${shown}`, io));
  }
  return exitCodes.yes;
}

/** Returns what to tell the user. The configuration is written, so a failure is only a warning. */
function ignoreSecrets(folder: string, cwd: string): string {
  const path = join(folder, '.gitignore');
  const shown = displayPath(path, cwd);
  try {
    const added = addToGitIgnore(path, shown);
    return added.length === 0 ? '' : `Added to ${shown}: ${added.join(' ')}\n`;
  } catch (error) {
    return `warning: ${error instanceof Refusal ? error.message : `${shown} cannot be read (${reasonOf(error)})`}\n`;
  }
}

/** An entry of `providers:`. */
interface InitEntry {
  readonly slug: string;
  readonly provider: Provider;
  /** Undefined if the provider needs no key. */
  readonly variable: string | undefined;
}

/** Providers to write. The first is the default target. The others are its fallbacks, or can be named by clients. */
interface InitEntries {
  readonly all: readonly InitEntry[];
  readonly hasFallback: boolean;
}

async function chooseProviders(flags: InitFlags, io: CliIo, registry: Registry): Promise<InitEntries> {
  const found = typesWithKeyIn(io.env, registry.providers).map(({ type }) => type);
  const ask = flags.input === false || flags.json === true ? undefined : io.ask;
  let first = flags.provider;
  if (first === undefined && ask !== undefined) first = await askFor(ask, 'provider', found[0] ?? 'mock');
  const listed = flags.fallback ?? [];
  const typed =
    flags.fallback === undefined && flags.provider === undefined && ask !== undefined
      ? await askFor(ask, 'fallback provider (optional)')
      : '';
  const fallback = [...listed, typed].flatMap((names) => names.split(',')).flatMap((name) => name.trim() || []);
  const names = first === undefined ? (found.length === 0 ? ['mock'] : found) : [first, ...fallback];
  if (first === undefined && fallback.length > 0)
    throw new CommandError(exitCodes.usage, '--fallback needs --provider: the one that is tried first');
  const variables = variablesIn(flags.keyEnv ?? [], names);
  const entries = [...new Set(names)].map((name) => entryOf(name, variables.get(name), registry));
  return { all: entries, hasFallback: fallback.length > 0 };
}

function variablesIn(flags: readonly string[], names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    flags.map((flag) => {
      const cut = flag.indexOf('=');
      const name = cut < 0 ? (names[0] ?? '') : flag.slice(0, cut);
      const variable = flag.slice(cut + 1);
      if (!isVariable(variable))
        throw new CommandError(exitCodes.usage, '--key-env is the name of a variable, not the key itself: letters, digits and "_"');
      if (!names.includes(name))
        throw new CommandError(exitCodes.usage, `--key-env names "${name}", which is none of: ${names.join(', ')}`);
      return [name, variable];
    }),
  );
}

function entryOf(name: string, variable: string | undefined, { providers }: Registry): InitEntry {
  const provider = typesOf(providers).get(name);
  if (provider === undefined) {
    const all = providers.map(({ type }) => type);
    throw new CommandError(exitCodes.usage, `no provider "${name}".${didYouMean(name, all)}\nAvailable: ${all.join(', ')}`);
  }
  const needsMore = problemsOf(provider, {}).find(({ severity }) => severity !== 'warning');
  if (needsMore !== undefined)
    throw new CommandError(exitCodes.usage, `${name} needs more than a key (${needsMore.message}); use: gateway providers add ${name}`);
  const usual = provider.entry.apiKey === 'required' ? (provider.entry.service?.keyVariable ?? keyVariable(name)) : undefined;
  return { slug: name, provider, variable: variable ?? usual };
}

function textOf({ all, hasFallback }: InitEntries): string {
  const [first] = all;
  const model = first?.provider.entry.apiKey === 'none' ? 'echo' : 'MODEL';
  const mock = all.some(({ slug }) => slug === 'mock')
    ? ''
    : '\n  # Responds without a key and without a network: model "@mock/echo".\n  mock: {type: mock}\n';
  return `# Configuration of the gateway. Validate it with \`gateway check\`. The gateway reloads it when you save it.
version: 1

server:
  listen: 127.0.0.1:8787 # this machine only; other hosts need a key (below)

# Upstream services. Clients write the name of the provider before the model: "@${first?.slug ?? 'mock'}/${model}".
providers:
${all.map(providerText).join('\n')}${mock}
# Named configs. Clients choose one with the header "x-gateway-config: main" and send the model name alone.
configs:
  main:
${hasFallback ? chainText(all) : `    targets: [{provider: ${first?.slug ?? 'mock'}, retry: {attempts: 2}}] # tried up to 3 times on 429 and 5xx`}

# API keys of clients. Without any, the gateway serves this machine only. \`gateway keys create app --default-config main\`
# prints lines like these, with the hash of a new key:
# api_keys:
#   app: {hash: "sha256:…", default_config: main}
`;
}

function providerText({ slug, provider, variable }: InitEntry): string {
  const key = variable === undefined ? {} : { [keySettingFor(provider, {})]: `\${env:${variable}}` };
  return `${yamlOf({ [slug]: { type: provider.type, ...key } }, 2)}\n`;
}

function chainText(all: readonly InitEntry[]): string {
  const targets = all.map(({ slug }, index) =>
    index === 0
      ? `      - {provider: ${slug}, retry: {attempts: 2}} # tried up to 3 times on 429 and 5xx`
      : `      - provider: ${slug}\n        # override_params: {model: MODEL} # its name of the model, if it differs`,
  );
  return `    strategy: {mode: fallback} # when a target fails, the next one is tried\n    targets:\n${targets.join('\n')}`;
}

function nextSteps({ all }: InitEntries, flag: string, { env }: CliIo): string {
  const missing = all.flatMap(({ variable }) => (variable === undefined || env[variable] ? [] : [variable]));
  const set = missing.length === 0 ? '' : `Set ${missing.join(' and ')} in the environment of the gateway.\n`;
  return `${set}Start it: gateway start${flag}\n`;
}

const asJson = ({ all }: InitEntries, file: string | null): string =>
  jsonText({ file, providers: all.map(({ slug, provider, variable }) => ({ slug, type: provider.type, key_env: variable ?? null })) });
