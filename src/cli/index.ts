import { Command, CommanderError } from 'commander';
import type { Loader } from '../config/reload/loader.ts';
import type { Registry } from '../gateway/types.ts';
import { printable } from '../core/text/printable.ts';
import { version } from '../gateway/version.ts';
import { Refusal } from '../manage/refusal.ts';
import { addAdmin } from './admin/command.ts';
import { addBench } from './bench/command.ts';
import { type CommandDeps, addExamples } from './builders.ts';
import { addCheck } from './check/command.ts';
import { CommandError, type CommonFlags, commandName, errorText, exitCodes } from './command.ts';
import { addCompletion } from './completion/command.ts';
import { addConfig } from './config/command.ts';
import { addDoctor } from './doctor/command.ts';
import { addExplain } from './explain/command.ts';
import { addFmt } from './fmt/command.ts';
import { addHealth } from './health/command.ts';
import { addHelp } from './help.ts';
import { addInit } from './init/command.ts';
import { type CliIo, Interrupted, type RemoteGateway } from './io.ts';
import { addKeys } from './keys/command.ts';
import { addLogs } from './logs/command.ts';
import { addModels } from './models/command.ts';
import { addPlan } from './plan/command.ts';
import { addPrompts } from './prompts/command.ts';
import { addProviders } from './providers/command.ts';
import { addReplay } from './replay/command.ts';
import { addStart } from './start/command.ts';
import { addTest } from './test/command.ts';
import { jsonText } from './text.ts';

/**
 * Runs the command line. `argv` excludes node and script. Resolves to the exit code: 0 success, 1 negative result, 2
 * wrong usage, 3 invalid configuration, 4 gateway unreachable, 5 not allowed, 129, 130 and 143 ended by a signal. A command's
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
    if (error instanceof CommanderError && error.code === 'commander.excessArguments') io.stderr.write(misplacedFile(argv, program));
    const isUnexpected = error instanceof TypeError || error instanceof RangeError;
    return codeOf(
      isUnexpected ? await (await import('./admin/unexpected-response.ts')).explainUnexpectedResponse(error, remote) : error,
      io,
    );
  }
}

/**
 * Adds a space before negated filter terms such as `-provider:azure` and `-"two words"`, which the option parser would
 * reject. The filter parser ignores the space.
 */
const withNegatedTerms = (argv: readonly string[]): string[] =>
  commandName(argv) === 'logs'
    ? argv.map((argument) => (/^-(?:[a-z_]+(?:\.[^:]*)?:|")/.test(argument) ? ` ${argument}` : argument))
    : [...argv];

/** A hint for a configuration file that was given as an argument, as `gateway check` takes it, to a command with an option for it. */
function misplacedFile(argv: readonly string[], program: Command): string {
  const file = argv.find((argument) => /\.ya?ml$/i.test(argument));
  let command = program;
  for (const name of argv) command = command.commands.find((one) => one.name() === name) ?? command;
  if (file === undefined || !command.options.some(({ long }) => long === '--config')) return '';
  return `To use this configuration file, write -c ${printable(file)}.\n`;
}

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
  const isHelpOrVersion = error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
  return isHelpOrVersion || (error.code === 'commander.help' && error.exitCode === 0) ? exitCodes.yes : exitCodes.usage;
}

/** The command tree, from which docs/cli.md is generated. */
export function createProgram(given: CliIo, registry: Registry, done: (code: number) => void, loader?: Loader): Command {
  const program = new Command('gateway');
  const io: CliIo = { ...given, noColor: () => program.opts()['color'] === false };
  program
    .description('An HTTP gateway in front of model providers, configured by a YAML file.')
    .version(version, '-V, --version', 'print the version')
    .option('--no-color', 'no colors')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 16 })
    .showHelpAfterError('Run gateway --help, or gateway COMMAND --help.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => void io.stdout.write(text), writeErr: (text) => void io.stderr.write(text) });
  addExamples(
    program,
    'gateway init --provider openai',
    'gateway start',
    'gateway start -c team.yaml --listen 127.0.0.1:9000',
    'gateway check --format short',
    'gateway help secrets',
  );
  const deps: CommandDeps = {
    io,
    registry,
    loader,
    toAction:
      (run) =>
      async (...given) =>
        done(await run(...(given as never[]))),
  };
  addStart(program, deps);
  addInit(program, deps);
  addCheck(program, deps);
  addHealth(program, deps);
  addExplain(program, deps);
  addReplay(program, deps);
  addPlan(program, deps);
  addTest(program, deps);
  addAdmin(program, deps);
  addLogs(program, deps);
  addProviders(program, deps);
  addConfig(program, deps);
  addFmt(program, deps);
  addModels(program, deps);
  addKeys(program, deps);
  addPrompts(program, deps);
  addDoctor(program, deps);
  addBench(program, deps);
  addCompletion(program, deps);
  addHelp(program, io);
  program
    .command('version')
    .description('print the version')
    .option('--json', 'print JSON')
    .action(({ json }: CommonFlags) => void io.stdout.write(json === true ? jsonText({ version }) : `${version}\n`));
  return program;
}
