import { type CliCommand, type CommandDeps, addCommand, addExamples, addGroup, choiceOption } from '../builders.ts';
import { type CommonFlags, fileOrStdin } from '../command.ts';
import type { ConvertFlags } from './convert/index.ts';
import type { ShowFlags } from './show.ts';

/** Adds `gateway config`. */
export function addConfig(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const parent = addGroup(program, 'config', 'show, describe and convert configurations');
  const show = addCommand(
    parent,
    'show',
    'show the effective configuration and where each value comes from; secrets as references',
    fileOrStdin,
  )
    .argument('[path]', 'show only this value, or what is below it: server.listen, providers.openai')
    .option('--no-defaults', 'only the values that a file contains')
    .action(
      toAction(async (path: string | undefined, flags: ShowFlags) => (await import('./show.ts')).showConfig(path, flags, io, registry)),
    );
  addExamples(show, 'gateway config show', 'gateway config show server', 'gateway config show providers.openai --no-defaults --json');
  const schema = parent
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors')
    .option('--json', 'no effect: the schema is JSON')
    .action(toAction(async (_flags: CommonFlags) => (await import('./schema.ts')).printSchema(io, registry)));
  addExamples(schema, 'gateway config schema > gateway.schema.json');
  const convert = parent
    .command('convert')
    .description('convert the configuration of another gateway, and report what differs and what is not mapped')
    .argument('<file...>', 'files of the other gateway, or - for standard input')
    .addOption(choiceOption('--from <name>', 'the other gateway', ['litellm', 'portkey']).makeOptionMandatory())
    .option(
      '-o, --output <file>',
      'file to write, with tests of its routes in a .test.yaml file next to it, or - for standard output, which is the default',
    )
    .option('--force', 'replace the files')
    .option('--strict', 'exit code 1 if anything is not mapped')
    .option('--json', 'print JSON')
    .action(
      toAction(async (files: string[], flags: ConvertFlags) => (await import('./convert/index.ts')).convert(files, flags, io, registry)),
    );
  addExamples(
    convert,
    'gateway config convert --from litellm config.yaml -o gateway.yaml',
    'gateway config convert --from portkey saved-configs.json --strict --json',
  );
  addExamples(parent, 'gateway config show', 'gateway config show server.listen', 'gateway config schema > gateway.schema.json');
}
