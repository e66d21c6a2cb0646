import type { CliCommand, CommandDeps } from '../index.ts';
import type { CommonFlags } from '../command.ts';
import type { ShowFlags } from './show.ts';

interface Deps extends Pick<CommandDeps, 'io' | 'registry' | 'does'> {
  /** Adds a subcommand with the common options. */
  common(name: string, about: string, config: string): CliCommand;
}

/** Adds the subcommands of `gateway config`. */
export function addConfig(parent: CliCommand, { io, registry, does, common }: Deps): void {
  common('show', 'show the effective configuration and where each value comes from; secrets as references', configFile)
    .argument('[path]', 'show only this value, or what is below it: server.listen, providers.openai')
    .option('--no-defaults', 'only the values that a file contains')
    .action(does(async (path: string | undefined, flags: ShowFlags) => (await import('./show.ts')).showConfig(path, flags, io, registry)))
    .addHelpText('before', examples('config show', 'config show server', 'config show providers.openai --no-defaults --json'));
  parent
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors')
    .option('--json', 'no effect: the schema is JSON')
    .action(does(async (_flags: CommonFlags) => (await import('./schema.ts')).printSchema(io, registry)))
    .addHelpText('before', examples('config schema > gateway.schema.json'));
  parent.addHelpText('before', examples('config show', 'config show server.listen', 'config schema > gateway.schema.json'));
}

const configFile = 'configuration file, or - for standard input';

const examples = (...lines: readonly string[]): string => `Examples:\n${lines.map((line) => `  $ gateway ${line}\n`).join('')}`;
