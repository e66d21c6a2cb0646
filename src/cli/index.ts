import { randomInt } from 'node:crypto';
import { Command, CommanderError, Option } from 'commander';
import type { Registry } from '../gateway/types.ts';
import { topics } from './help.ts';
import type { InitFlags } from './init.ts';
import type { CheckIo, CheckOptions } from './check.ts';
import type { HealthFlags } from './health/index.ts';
import { type CliIo, hasColors } from './io.ts';
import type { AddFlags } from './providers/add.ts';
import type { CatalogFlags } from './providers/catalog.ts';
import type { ImportFlags } from './providers/import-uri.ts';
import type { TestFlags } from './providers/test-entries.ts';
import type { CreateFlags } from './keys/create.ts';
import type { RotateFlags } from './keys/rotate.ts';
import type { KeysFlags, KeysIo } from './keys/shared.ts';
import type { PromptOptions, RenderOptions } from './prompts/index.ts';
import type { StartFlags } from './start/index.ts';
import { version } from '../gateway/version.ts';

/** Wrong usage: an unknown command or flag, a missing argument. */
const wrongUsage = 2;

/**
 * The command line: `argv` without node and script. Resolves to the exit code: 0 done, 1 the answer is no, 2 wrong
 * usage, 3 the configuration is invalid, 130 and 143 ended by a signal. A command is imported when it is used.
 */
export async function runCli(argv: readonly string[], io: CliIo, registry: Registry): Promise<number> {
  let code = 0;
  const program = createProgram(io, registry, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const isAnswer = error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
    return isAnswer || (error.code === 'commander.help' && error.exitCode === 0) ? 0 : wrongUsage;
  }
}

/** The tree of commands, from which docs/cli.md is generated. */
export function createProgram(io: CliIo, registry: Registry, done: (code: number) => void): Command {
  const program = new Command('gateway')
    .description('One HTTP service in front of model providers, described by a YAML file.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showHelpAfterError('Run gateway --help, or gateway COMMAND --help.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => void io.stdout.write(text), writeErr: (text) => void io.stderr.write(text) });
  examples(program, [
    'gateway init --provider openai',
    'gateway start',
    'gateway start -c team.yaml --listen 127.0.0.1:9000',
    'gateway check --format short',
    'gateway help secrets',
  ]);
  addStart(program, io, registry, done);
  addInit(program, io, registry, done);
  addCheck(program, io, registry, done);
  addHealth(program, io, done);
  addProviders(program, io, registry, done);
  addKeys(program, io, registry, done);
  addPrompts(program, io, registry, done);
  addHelp(program, io);
  program
    .command('version')
    .description('print the version')
    .action(() => void io.stdout.write(`${version}\n`));
  return program;
}

/** Help begins with lines to copy. */
function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText('before', `Examples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`);
}

function addStart(program: Command, io: CliIo, registry: Registry, done: (code: number) => void): void {
  const command = program
    .command('start')
    .description('run the gateway; without a configuration file, with a mock provider for trying it out')
    .option('-c, --config <file>', 'configuration file, or - for standard input')
    .option('--listen <address>', 'host:port or unix:/path of the data listener')
    .option('--probe-listen <address>', 'a second listener with only /healthz and /readyz')
    .option('--no-watch', 'do not reload when a file changes')
    .addOption(new Option('--log-format <format>', 'format of log lines').choices(['auto', 'pretty', 'json']))
    .addOption(new Option('--log-level <level>', 'minimum level that is logged').choices(['debug', 'info', 'warn', 'error']))
    .option('--allow-missing-secrets', 'disable providers with unset secrets instead of failing to start')
    .option('--last-good', 'when the file is invalid, serve with the last valid copy')
    .option('--no-color', 'no colors')
    .action(async (flags: StartFlags) => {
      const { start } = await import('./start/index.ts');
      done(await start(flags, io, registry));
    });
  examples(command, ['gateway start', 'gateway start -c team.yaml', 'gateway start --listen 127.0.0.1:9000 --log-format json']);
}

function addInit(program: Command, io: CliIo, registry: Registry, done: (code: number) => void): void {
  const command = program
    .command('init')
    .description('write a small configuration with comments; never overwrites a file without --force')
    .option('--provider <name>', 'a provider type such as openai, groq or ollama; without it: those whose keys are set')
    .option('--key-env <variable>', 'name of the variable that holds its key; name=variable for a fallback; repeatable', collect, [])
    .option('--fallback <name>', 'provider to try when the first one fails; repeatable', collect)
    .option('--file <file>', 'file to write instead of gateway.yaml')
    .option('--force', 'replace the file')
    .option('--no-input', 'do not prompt')
    .option('--dry-run', 'print it, write nothing')
    .option('--json', 'print JSON')
    .action(async (flags: InitFlags) => {
      const { init } = await import('./init.ts');
      done(await init(flags, io, registry));
    });
  examples(command, [
    'gateway init --provider openai',
    'gateway init --provider groq --key-env MY_GROQ_KEY --fallback openai',
    'gateway init --provider ollama --file local.yaml',
  ]);
}

function addCheck(program: Command, io: CliIo, registry: Registry, done: (code: number) => void): void {
  const command = program
    .command('check')
    .description('validate the configuration offline')
    .argument('[file...]', 'configuration files, or - for standard input')
    .option('-c, --config <file>', 'the same as the argument')
    .addOption(new Option('--format <format>', 'output format').choices(['pretty', 'short', 'json', 'github']).default('pretty'))
    .option('--json', 'the same as --format json')
    .option('--strict', 'treat warnings as errors')
    .option('--no-color', 'no colors')
    .option('--allow-missing-secrets', 'switch providers with unset secrets off instead of reporting errors')
    .action(async (files: string[], flags: CheckOptions & { readonly color: boolean }) => {
      const { check } = await import('./check.ts');
      const importPlugin = async (path: string): Promise<unknown> => (await import('../gateway/generations.ts')).importFile(path);
      const known = { providers: registry.providers, plugins: registry.stages, importPlugin };
      done(await check(files, flags, checkIo(io, flags.color), known));
    });
  examples(command, ['gateway check', 'gateway check team.yaml --strict', 'cat team.yaml | gateway check - --format json']);
}

function addHealth(program: Command, io: CliIo, done: (code: number) => void): void {
  const command = program
    .command('health')
    .description('ask a running gateway whether it is ready, and how its last reload ended; exit code 0 when ready, 1 when not')
    .option('-c, --config <file>', 'configuration file with the address: probe_listen, otherwise listen')
    .option('--url <url>', 'address of the gateway: http://host:port, host:port or unix:/path')
    .option('--timeout <duration>', 'timeout of the whole request', '2s')
    .option('--strict', 'exit code 1 also when the last reload failed')
    .option('--json', 'print JSON')
    .action(async (flags: HealthFlags) => {
      const { health } = await import('./health/index.ts');
      done(await health(flags, io));
    });
  examples(command, ['gateway health', 'gateway health --strict --json', 'gateway health --url http://127.0.0.1:9000 --timeout 1s']);
}

function addKeys(program: Command, io: CliIo, registry: Registry, done: (code: number) => void): void {
  const keys = program.command('keys').helpCommand(false).description('issue, list, rotate, revoke and identify API keys of the gateway');
  const command: MakeCommand = (name, about) =>
    keys
      .command(name)
      .description(about)
      .option('-c, --config <file>', 'configuration file')
      .option('--json', 'print JSON')
      .option('--no-color', 'no colors');
  addKeyCreate(command, keysIo(io), registry, done);
  addKeyRest(command, keysIo(io), done);
  examples(keys, [
    'gateway keys create app-web --configs support --expires 90d --write',
    'gateway keys rotate app-web --overlap 24h',
    'gateway keys verify < key.txt',
  ]);
}

type MakeCommand = (name: string, about: string) => Command;

function keysIo({ stdout, stderr, env, cwd, readStdin }: CliIo): KeysIo {
  return {
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
    env,
    cwd,
    stdin: readStdin,
    now: Date.now,
    random: (below) => randomInt(below),
  };
}

function addKeyCreate(command: MakeCommand, io: KeysIo, registry: Registry, done: (code: number) => void): void {
  const later = (flag: string): Option => new Option(`--${flag} <limit>`).hideHelp();
  command('create', 'issue a key; it is shown once, only its hash is stored')
    .argument('<name>')
    .option('--configs <names>', 'configs that the key may use, separated by commas')
    .option('--providers <slugs>', 'providers that the key may use, separated by commas')
    .option('--models <globs>', 'models that the key may use, separated by commas')
    .option('--prompts <names>', 'stored prompts that the key may use, separated by commas')
    .option('--default-config <name>', 'config for requests that choose nothing')
    .option('--enforce-config', 'reject every other choice')
    .option('--metadata <name=value...>', 'metadata for the records of its requests')
    .option('--expires <when>', 'a duration such as 90d, or a date')
    .option('--test', 'issue a gw_test_ key')
    .option('--debug', 'set debug: true for the key; has no effect in this version')
    .option('--write', 'write the key to a new file in the included directory for keys')
    .addOption(later('rate'))
    .addOption(later('tokens'))
    .addOption(later('budget'))
    .addOption(later('concurrency'))
    .action(async (name: string, flags: CreateFlags) => {
      const { createKey } = await import('./keys/create.ts');
      const importPlugin = async (path: string): Promise<unknown> => (await import('../gateway/generations.ts')).importFile(path);
      done(await createKey(name, flags, io, { providers: registry.providers, plugins: registry.stages, importPlugin }));
    });
}

function addKeyRest(command: MakeCommand, io: KeysIo, done: (code: number) => void): void {
  command('list', 'list all keys: permissions, expiry, last use').action(async (flags: KeysFlags) => {
    const { listKeys } = await import('./keys/list.ts');
    done(await listKeys(flags, io));
  });
  command('rotate', 'issue a new secret; the old one works until the overlap ends')
    .argument('<name>')
    .option('--overlap <duration>', 'how long both secrets work', '24h')
    .action(async (name: string, flags: RotateFlags) => {
      const { rotateKey } = await import('./keys/rotate.ts');
      done(await rotateKey(name, flags, io));
    });
  command('revoke', 'revoke a key: the gateway rejects it from now on')
    .argument('<name>')
    .action(async (name: string, flags: KeysFlags) => {
      const { revokeKey } = await import('./keys/revoke.ts');
      done(await revokeKey(name, flags, io));
    });
  command('verify', 'identify a key read from standard input')
    // Whatever stands there may be a key: it is refused without a word of it.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (flags: KeysFlags, { args }: Command) => {
      const { verifyKey } = await import('./keys/verify.ts');
      done(await verifyKey(args, flags, io));
    });
}

function addProviders(program: Command, io: CliIo, registry: Registry, done: (code: number) => void): void {
  const group = program.command('providers').helpCommand(false).description('list, show, test and add providers');
  examples(group, ['gateway providers list', 'gateway providers test azure-eu', 'gateway providers import-uri https://…']);
  const command = (name: string, about: string): Command =>
    group
      .command(name)
      .description(about)
      .option('-c, --config <file>', 'configuration file')
      .option('--json', 'print JSON')
      .option('--no-color', 'no colors');
  command('list', 'list all providers with host, models and state, offline').action(async (flags: CatalogFlags) => {
    const { listProviders } = await import('./providers/list.ts');
    done(await listProviders(flags, io, registry));
  });
  command('show', 'show a provider with the source of each value; secrets as references')
    .argument('<slug>')
    .action(async (slug: string, flags: CatalogFlags) => {
      const { showProvider } = await import('./providers/show.ts');
      done(await showProvider(slug, flags, io, registry));
    });
  command('test', 'test providers with their real credentials and the cheapest calls')
    .argument('[slug...]')
    .option('--deep', 'also request one token from each deployment')
    .option('--timeout <duration>', 'timeout of each request', '10s')
    .action(async (slugs: string[], flags: TestFlags) => {
      const { testProviders } = await import('./providers/test-entries.ts');
      done(await testProviders(slugs, flags, io, registry));
    });
  group
    .command('import-uri')
    .description("print the provider configuration for a deployment's target URI, offline")
    .argument('<uri>')
    .option('--slug <slug>', 'slug of the provider')
    .option('--json', 'print JSON')
    .action(async (uri: string, flags: ImportFlags) => {
      const { importUri } = await import('./providers/import-uri.ts');
      done(importUri(uri, flags, io, registry));
    });
  addProvider(group, io, registry, done);
}

function addProvider(group: Command, io: CliIo, registry: Registry, done: (code: number) => void): void {
  const command = group
    .command('add')
    .description('add a provider to the configuration; prompts only on a terminal, and never for a secret')
    .argument('<type>', 'a provider type such as openai, groq or ollama')
    .option('-c, --config <file>', 'configuration file; created if it does not exist')
    .option('--slug <slug>', 'slug of the provider')
    .option('--name <text>', 'display name')
    .option('--description <text>', 'description')
    .option('--uri <uri>', 'fill in settings from a target URI')
    .option('--set <key=value>', 'a setting by its path, as resource_name=contoso-eu; repeatable', collect, [])
    .option('--key-env <variable>', 'name of the environment variable with the key')
    .option('--key-file <path>', 'path of the file with the key')
    .option('--no-input', 'do not prompt')
    .option('--dry-run', 'print the configuration without writing it')
    .option('--json', 'print JSON')
    .action(async (type: string, flags: AddFlags) => {
      const { addEntry } = await import('./providers/add.ts');
      done(await addEntry(type, flags, io, registry));
    });
  examples(command, [
    'gateway providers add openai',
    'gateway providers add groq --no-input',
    'gateway providers add azure-openai --slug azure-eu --set resource_name=contoso-eu --key-env AZURE_KEY --no-input',
  ]);
}

const collect = (one: string, before: readonly string[] = []): string[] => [...before, one];

function checkIo(io: CliIo, isColorWanted: boolean): CheckIo {
  const { stdout, stderr, env, cwd } = io;
  return {
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
    env,
    cwd,
    stdin: () => io.readStdin(),
    isTty: hasColors(stdout, env, isColorWanted),
    columns: stdout.columns,
  };
}

function addPrompts(program: Command, io: CliIo, registry: Registry, done: (code: number) => void): void {
  const prompts = program.command('prompts').helpCommand(false).description('list and render stored prompts');
  const importPlugin = async (path: string): Promise<unknown> => (await import('../gateway/generations.ts')).importFile(path);
  const known = { providers: registry.providers, plugins: registry.stages, importPlugin };
  const every = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];
  const command = (name: string, about: string): Command =>
    prompts
      .command(name)
      .description(about)
      .option('-c, --config <file>', 'configuration file, or - for standard input')
      .option('--json', 'print JSON')
      .option('--no-color', 'no colors');
  type Shown = { readonly color: boolean };
  command('list', 'list all prompts with versions, labels and variables').action(async (flags: PromptOptions & Shown) => {
    const { listPrompts } = await import('./prompts/index.ts');
    done(await listPrompts(flags, checkIo(io, flags.color), known));
  });
  command('render', 'print the messages and parameters that a call would send, without sending them')
    .argument('<name>', 'a prompt: welcome, welcome@2, welcome@latest, welcome@production')
    .option('--var <name=value>', 'a variable; JSON unless the prompt declares it as a string', every)
    .option('--var-file <name=path>', 'a variable whose value is the content of a file', every)
    .action(async (name: string, flags: RenderOptions & Shown) => {
      const { renderPrompt } = await import('./prompts/index.ts');
      done(await renderPrompt(name, flags, checkIo(io, flags.color), known));
    });
  examples(prompts, [
    'gateway prompts list',
    'gateway prompts render welcome --var product=Kite',
    'gateway prompts render welcome@2 --var-file question=mail.txt --json',
  ]);
}

function addHelp(program: Command, io: CliIo): void {
  program
    .command('help')
    .description(`explain a command, or one of: ${Object.keys(topics).join(', ')}`)
    .argument('[topic]')
    .action((topic: string | undefined) => {
      if (topic === undefined) return program.outputHelp();
      const command = program.commands.find((one) => one.name() === topic);
      if (command !== undefined) return command.outputHelp();
      const text = Object.hasOwn(topics, topic) ? topics[topic as keyof typeof topics] : undefined;
      if (text === undefined) return program.error(`error: no help on "${topic}"; available: ${Object.keys(topics).join(', ')}`);
      io.stdout.write(text());
      return undefined;
    });
}
