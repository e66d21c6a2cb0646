import { Command, CommanderError, Option } from 'commander';
import type { Loader } from '../config/reload/loader.ts';
import type { Registry } from '../gateway/types.ts';
import { version } from '../gateway/version.ts';
import type { DrainFlags } from './admin/change.ts';
import type { AdminFlags } from './admin/target.ts';
import type { CheckFlags } from './check.ts';
import type { ExplainFlags } from './explain/request.ts';
import { CommandError, type CommonFlags, errorText, exitCodes, fileOrStdin } from './command.ts';
import { addBench } from './bench/command.ts';
import { addCompletion } from './completion/command.ts';
import { addConfig } from './config/command.ts';
import { addHealth } from './health/command.ts';
import { addDoctor } from './doctor/command.ts';
import { addFmt } from './fmt/command.ts';
import { addHelp } from './help.ts';
import type { InitFlags } from './init.ts';
import { Refusal } from '../manage/refusal.ts';
import { type RemoteGateway, type CliIo, Interrupted } from './io.ts';
import type { CreateFlags } from './keys/create.ts';
import type { RotateFlags } from './keys/rotate.ts';
import { addLogs, logExamples } from './logs/commands.ts';
import { addModels } from './models/command.ts';
import { addPlan } from './plan/command.ts';
import { addPrompts } from './prompts/command.ts';
import type { ReplayFlags } from './replay/index.ts';
import type { AddFlags } from './providers/add.ts';
import type { ImportFlags } from './providers/import-uri.ts';
import type { TestFlags } from './providers/test-entries.ts';
import { listenFlag, workersFlag } from './start/flag-values.ts';
import type { StartFlags } from './start/index.ts';
import { addTest } from './test/command.ts';

/** Command of the parser, for folders that define their own. */
export type CliCommand = Command;

/**
 * Runs the command line. `argv` excludes node and script. Resolves to the exit code: 0 success, 1 negative result, 2
 * wrong usage, 3 invalid configuration, 4 gateway unreachable, 5 not allowed, 130 and 143 ended by a signal. A command's
 * module is imported only when it is used.
 */
export async function runCli(argv: readonly string[], io: CliIo, registry: Registry, loader?: Loader): Promise<number> {
  let code: number = exitCodes.yes;
  const done = (result: number): void => {
    code = result;
  };
  let remote: RemoteGateway | undefined;
  const program = createProgram({ ...io, onGateway: (gateway) => (remote = gateway) }, registry, done, loader);
  try {
    await program.parseAsync(withNegatedTerms(argv), { from: 'user' });
    return code;
  } catch (error) {
    const isUnexpected = error instanceof TypeError || error instanceof RangeError;
    return codeOf(isUnexpected ? await (await import('./admin/other-version.ts')).otherVersion(error, remote) : error, io);
  }
}

/**
 * Adds a space before negated filter terms such as `-provider:azure` and `-"two words"`, which the option parser would
 * reject. The filter parser ignores the space.
 */
const withNegatedTerms = (argv: readonly string[]): string[] =>
  argv[0] === 'logs' ? argv.map((word) => (/^-(?:[a-z_]+(?:\.[^:]*)?:|")/.test(word) ? ` ${word}` : word)) : [...argv];

/** Prints the error that ended a command, and returns the exit code. */
function codeOf(error: unknown, { stderr }: CliIo): number {
  if (error instanceof Refusal || error instanceof CommandError) {
    stderr.write(errorText(error));
    return error instanceof Refusal ? exitCodes[error.kind] : error.code;
  }
  if (error instanceof Interrupted) {
    stderr.write('interrupted: nothing was written\n');
    return exitCodes.interrupted;
  }
  if (!(error instanceof CommanderError)) throw error;
  const isAnswer = error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
  return isAnswer || (error.code === 'commander.help' && error.exitCode === 0) ? exitCodes.yes : exitCodes.usage;
}

const collect = (one: string, before: readonly string[] = []): string[] => [...before, one];

/** Input for creating the commands. */
export interface CommandDeps {
  readonly io: CliIo;
  readonly registry: Registry;
  /** Loader for `start`, prepared in advance. */
  readonly loader?: Loader | undefined;
  /** Makes a command's action from a function that resolves to the exit code. */
  does(run: (...given: never[]) => Promise<number>): (...given: unknown[]) => Promise<void>;
}

/** Input for creating the commands of a group in its own folder. */
export interface GroupDeps extends CommandDeps {
  readonly parent: CliCommand;
  /** Adds a command with the common options. */
  common(name: string, about: string, config?: string): CliCommand;
}

/** The command tree, from which docs/cli.md is generated. */
export function createProgram(io: CliIo, registry: Registry, done: (code: number) => void, loader?: Loader): Command {
  const program = new Command('gateway')
    .description('An HTTP gateway in front of model providers, configured by a YAML file.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showHelpAfterError('Run gateway --help, or gateway COMMAND --help.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => void io.stdout.write(text), writeErr: (text) => void io.stderr.write(text) });
  examples(
    program,
    'gateway init --provider openai',
    'gateway start',
    'gateway start -c team.yaml --listen 127.0.0.1:9000',
    'gateway check --format short',
    'gateway help secrets',
  );
  const making: CommandDeps = {
    io,
    registry,
    loader,
    does:
      (run) =>
      async (...given) =>
        done(await run(...(given as never[]))),
  };
  addMain(program, making);
  addHealth(program, making);
  addExplain(program, making);
  addPlan(remote(program, 'plan', 'compare the file with the running configuration, and show where recorded requests would go'), making);
  addTest(common(program, 'test', 'run the tests in *.test.yaml files: scripted providers, no network, simulated time'), making);
  addRunning(program, making);
  const logs = group(program, 'logs', 'follow, search, show, export, count and replay recorded requests');
  examples(logs, ...logExamples);
  addLogs({ io, remote: (name, about) => remote(logs, name, about), does: making.does });
  addReplay(logs, making);
  addProviders(group(program, 'providers', 'list, show, test and add providers'), making);
  addConfig(groupDeps(making, group(program, 'config', 'show, describe and convert configurations')));
  addFmt(common(program, 'fmt', 'format the configuration: order, names and spacing; keeps values and comments'), making);
  addModels(common(program, 'models', 'list the models that clients can use, with context length and price, offline', fileOrStdin), making);
  addKeys(group(program, 'keys', 'issue, list, rotate, revoke and identify API keys of the gateway'), making);
  addPrompts(groupDeps(making, group(program, 'prompts', 'list and render stored prompts')));
  addDoctor(remote(program, 'doctor', 'check configuration, machine and network, with a fix for each problem'), making);
  addBench(program, making);
  addCompletion(program, making);
  addHelp(program, io);
  program
    .command('version')
    .description('print the version')
    .action(() => void io.stdout.write(`${version}\n`));
  return program;
}

/** Adds examples at the start of the help. */
function examples(command: Command, ...lines: readonly string[]): void {
  command.addHelpText('before', `Examples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`);
}

const group = (program: Command, name: string, about: string): Command => program.command(name).helpCommand(false).description(about);
const oneOf = (flags: string, about: string, choices: readonly string[]): Option => new Option(flags, about).choices(choices);

/** Adds a command with the common options. */
function common(parent: Command, name: string, about: string, config = 'configuration file'): Command {
  const command = parent.command(name).description(about);
  return command.option('-c, --config <file>', config).option('--json', 'print JSON').option('--no-color', 'no colors');
}

const groupDeps = (making: CommandDeps, parent: Command): GroupDeps => ({
  ...making,
  parent,
  common: (name, about, config) => common(parent, name, about, config),
});

function addMain(program: Command, { io, registry, loader, does }: CommandDeps): void {
  const start = program
    .command('start')
    .description('run the gateway; without a configuration file, with a mock provider for trying it out')
    .option('-c, --config <file>', fileOrStdin)
    .option('--listen <address>', 'host:port or unix:/path of the data listener', listenFlag('--listen'))
    .option('--probe-listen <address>', 'a second listener with only /healthz, /readyz and /metrics', listenFlag('--probe-listen'))
    .option('--admin-listen <address>', 'host:port or unix:/path of the dashboard and the admin API', listenFlag('--admin-listen'))
    .option('--no-admin', 'no dashboard and no admin API')
    .option('--workers <number>', 'number of worker processes, or auto for one per core', workersFlag)
    .option('--no-watch', 'do not reload when a file changes')
    .addOption(oneOf('--log-format <format>', 'format of log lines', ['auto', 'pretty', 'json']))
    .addOption(oneOf('--log-level <level>', 'minimum level that is logged', ['debug', 'info', 'warn', 'error']))
    .option('--allow-missing-secrets', 'disable providers with unset secrets instead of failing to start')
    .option('--last-good', 'if the file is invalid, start with the last valid copy')
    .option('--no-color', 'no colors')
    .action(does(async (flags: StartFlags) => (await import('./start/index.ts')).start(flags, io, registry, { loader })));
  examples(start, 'gateway start', 'gateway start -c team.yaml', 'gateway start --listen 127.0.0.1:9000 --log-format json');
  const init = program
    .command('init')
    .description('write a small configuration with comments; never overwrites a file without --force')
    .option('--provider <name>', 'a provider type such as openai, groq or ollama; default: the providers whose keys are set')
    .option('--key-env <variable>', 'name of the variable that holds its key; name=variable for a fallback; repeatable', collect)
    .option('--fallback <name>', 'provider to try when the first one fails; repeatable', collect)
    .option('--file <file>', 'file to write instead of gateway.yaml')
    .option('--force', 'replace the file')
    .option('--no-input', 'do not prompt')
    .option('--dry-run', 'print it, write nothing')
    .option('--json', 'print JSON')
    .action(does(async (flags: InitFlags) => (await import('./init.ts')).init(flags, io, registry)));
  examples(
    init,
    'gateway init --provider openai',
    'gateway init --provider groq --key-env MY_GROQ_KEY --fallback openai',
    'gateway init --provider ollama --file local.yaml',
  );
  const check = program
    .command('check')
    .description('validate the configuration offline')
    .argument('[file...]', 'configuration files, or - for standard input')
    .option('-c, --config <file>', 'the same as the argument')
    .addOption(oneOf('--format <format>', 'output format', ['pretty', 'short', 'json', 'github']).default('pretty'))
    .option('--json', 'the same as --format json')
    .option('--strict', 'treat warnings as errors')
    .option('--no-color', 'no colors')
    .option('--allow-missing-secrets', 'switch providers with unset secrets off instead of reporting errors')
    .action(does(async (files: string[], flags: CheckFlags) => (await import('./check.ts')).check(files, flags, io, registry)));
  examples(check, 'gateway check', 'gateway check team.yaml --strict', 'cat team.yaml | gateway check - --format json');
}

function addExplain(program: Command, { io, registry, does }: CommandDeps): void {
  const command = remote(program, 'explain', 'explain what would happen to a request: route, upstream request and why; sends nothing')
    .option('--body <json>', 'body of the request: JSON, @file, or - for standard input')
    .option('--header <header>', "header of the request, as 'name: value'; repeatable", collect)
    .option('--method <method>', 'method of the request')
    .option('--path <path>', 'path of the request; default /v1/chat/completions')
    .option('--model <model>', 'model of the body')
    .option('--user <text>', 'user message that replaces the messages of the body')
    .option('--config-name <name>', 'config that the request names')
    .option('--key <name>', 'name of the API key whose rules apply')
    .option('--from-log <id>', 'a recorded request of the running gateway, changed by the other options')
    .option('--assume <slug=outcome>', 'what a provider responds: a status, timeout or reset; repeatable', collect)
    .option('--random <number>', 'seed of the choice between weights, from 0 to below 1: the same number chooses the same targets')
    .option('--running', 'use the configuration of the running gateway, not the file')
    .option('--as-curl', 'print the upstream call for a shell, credentials as variables')
    .action(does(async (flags: ExplainFlags) => (await import('./explain/index.ts')).explain(flags, io, registry)));
  examples(
    command,
    'gateway explain --model gpt-4o-mini --user "hi" --config-name support',
    'gateway explain --key app-web --body @request.json --assume openai-main=429',
    'gateway explain --from-log req_01JD3M… -c new.yaml',
    'gateway explain --model @claude/claude-sonnet-4-5 --as-curl',
  );
  addReplay(program, { io, registry, does });
}

/** Adds `replay` as a top-level command, and as a subcommand of `logs`. */
function addReplay(parent: Command, { io, registry, does }: CommandDeps): void {
  const replay = remote(parent, 'replay', 'send a recorded request again, after showing what is sent')
    .argument('<id>', 'id of the recorded request')
    .option('--to <target>', 'provider/model to use instead of the original target')
    .option('--config-name <name>', 'config to use instead of the original one')
    .option('--dry-run', 'explain it and send nothing; with -c under another file')
    .option('--diff', 'print the differences between the responses')
    .option('--force', 'send a body although parts of it were masked in the log')
    .option('--key-stdin', 'read an API key of the gateway from standard input; default $GATEWAY_API_KEY')
    .action(does(async (id: string, flags: ReplayFlags) => (await import('./replay/index.ts')).replay(id, flags, io, registry)));
  examples(
    replay,
    'gateway replay req_01JD3M…',
    'gateway replay req_01JD3M… --to azure-eu/gpt-4o-mini --diff',
    'gateway replay req_01JD3M… --dry-run -c new.yaml',
  );
}

/** Adds a command that calls a running gateway through its admin API. */
function remote(parent: Command, name: string, about: string): Command {
  return common(parent, name, about, 'configuration file with the address and the token').option(
    '--admin <address>',
    'address of the admin listener: http://host:port, host:port or unix:/path; default $GATEWAY_ADMIN, then server.admin.listen',
  );
}

function addRunning(program: Command, { io, does }: CommandDeps): void {
  const status = remote(program, 'status', 'show the state of a running gateway; exit code 1 if its last reload failed').action(
    does(async (flags: AdminFlags) => (await import('./admin/status.ts')).status(flags, io)),
  );
  examples(status, 'gateway status', 'gateway status --admin unix:/run/gateway/admin.sock --json');
  remote(program, 'reload', 'reload the configuration now, and show the result').action(
    does(async (flags: AdminFlags) => (await import('./admin/change.ts')).reload(flags, io)),
  );
  const rollback = remote(program, 'rollback', 'serve an earlier revision until the file changes')
    .argument('[revision]', 'one of the last 20 revisions; default: the previous one')
    .action(
      does(async (revision: string | undefined, flags: AdminFlags) => (await import('./admin/change.ts')).rollback(revision, flags, io)),
    );
  examples(rollback, 'gateway rollback', 'gateway rollback 8f3c2a1');
  remote(program, 'drain', 'stop accepting requests, finish those in progress, and stop the gateway')
    .option('--timeout <duration>', 'how long requests may continue; default server.drain.timeout')
    .action(does(async (flags: DrainFlags) => (await import('./admin/change.ts')).drain(flags, io)));
  remote(program, 'dashboard', 'print a one-time link to sign in to the dashboard').action(
    does(async (flags: AdminFlags) => (await import('./admin/change.ts')).dashboard(flags, io)),
  );
}

function addProviders(parent: Command, { io, registry, does }: CommandDeps): void {
  examples(parent, 'gateway providers list', 'gateway providers test azure-eu', 'gateway providers import-uri https://…');
  common(parent, 'list', 'list all providers with host, models and state, offline').action(
    does(async (flags: CommonFlags) => (await import('./providers/list.ts')).listProviders(flags, io, registry)),
  );
  common(parent, 'show', 'show a provider with the source of each value; secrets as references')
    .argument('<slug>')
    .action(
      does(async (slug: string, flags: CommonFlags) => (await import('./providers/show.ts')).showProvider(slug, flags, io, registry)),
    );
  common(parent, 'test', 'test providers with their real credentials and the cheapest calls')
    .argument('[slug...]')
    .option('--deep', 'also request one token from each deployment')
    .option('--timeout <duration>', 'timeout of each request', '10s')
    .action(
      does(async (slugs: string[], flags: TestFlags) =>
        (await import('./providers/test-entries.ts')).testProviders(slugs, flags, io, registry),
      ),
    );
  parent
    .command('import-uri')
    .description("print the provider configuration for a deployment's target URI, offline")
    .argument('<uri>')
    .option('--slug <slug>', 'slug of the provider')
    .option('--json', 'print JSON')
    .action(
      does(async (uri: string, flags: ImportFlags) => (await import('./providers/import-uri.ts')).importUri(uri, flags, io, registry)),
    );
  const add = parent
    .command('add')
    .description('add a provider to the configuration; prompts only on a terminal, and never for a secret')
    .argument('<type>', 'a provider type such as openai, groq or ollama')
    .option('-c, --config <file>', 'configuration file; created if it does not exist')
    .option('--slug <slug>', 'slug of the provider')
    .option('--name <text>', 'display name')
    .option('--description <text>', 'description')
    .option('--uri <uri>', 'fill in settings from a target URI')
    .option(
      '--set <key=value>',
      'a setting by its path, as resource_name=contoso-eu or deployments."gpt-4.1".deployment_id=chat; repeatable',
      collect,
    )
    .option('--key-env <variable>', 'name of the environment variable with the key')
    .option('--key-file <file>', 'path of the file with the key')
    .option('--no-input', 'do not prompt')
    .option('--dry-run', 'print the configuration without writing it')
    .option('--json', 'print JSON')
    .action(does(async (type: string, flags: AddFlags) => (await import('./providers/add.ts')).addEntry(type, flags, io, registry)));
  examples(
    add,
    'gateway providers add openai',
    'gateway providers add groq --no-input',
    'gateway providers add azure-openai --slug azure-eu --set resource_name=contoso-eu --key-env AZURE_KEY --no-input',
  );
}

function addKeys(parent: Command, { io, registry, does }: CommandDeps): void {
  const create = common(parent, 'create', 'issue a key; it is shown once, only its hash is stored')
    .argument('<name>')
    .option('--configs <names>', 'configs that the key may use, separated by commas')
    .option('--providers <slugs>', 'providers that the key may use, separated by commas')
    .option('--models <globs>', 'models that the key may use, separated by commas')
    .option('--prompts <names>', 'stored prompts that the key may use, separated by commas')
    .option('--default-config <name>', 'config for requests that name no config and no provider')
    .option('--enforce-config', 'reject every other choice')
    .option('--metadata <name=value...>', 'metadata for the records of its requests')
    .option('--expires <when>', 'a duration such as 90d, or a date')
    .option('--test', 'issue a gw_test_ key')
    .option('--debug', 'set debug: true for the key; has no effect in this version')
    .option('--write', 'write the key to a new file in the included directory for keys')
    .action(does(async (name: string, flags: CreateFlags) => (await import('./keys/create.ts')).createKey(name, flags, io, registry)));
  // Options for limits that keys do not support yet: the command reports that.
  for (const limit of ['rate', 'tokens', 'budget', 'concurrency']) create.addOption(new Option(`--${limit} <limit>`).hideHelp());
  common(parent, 'list', 'list all keys: permissions, expiry, last use').action(
    does(async (flags: CommonFlags) => (await import('./keys/list.ts')).listKeys(flags, io)),
  );
  common(parent, 'rotate', 'issue a new secret; the old one works until the overlap ends')
    .argument('<name>')
    .option('--overlap <duration>', 'how long both secrets work', '24h')
    .action(does(async (name: string, flags: RotateFlags) => (await import('./keys/rotate.ts')).rotateKey(name, flags, io)));
  common(parent, 'revoke', 'revoke a key: the gateway rejects it from now on')
    .argument('<name>')
    .action(does(async (name: string, flags: CommonFlags) => (await import('./keys/revoke.ts')).revokeKey(name, flags, io)));
  common(parent, 'verify', 'identify a key read from standard input')
    // Any argument may be a key, so it is rejected without printing it.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(does(async (flags: CommonFlags, { args }: Command) => (await import('./keys/verify.ts')).verifyKey(args, flags, io)));
  examples(
    parent,
    'gateway keys create app-web --configs support --expires 90d --write',
    'gateway keys rotate app-web --overlap 24h',
    'gateway keys verify < key.txt',
  );
}
