import { type CommonFlags, fileOrStdin } from '../command.ts';
import type { GroupDeps } from '../index.ts';
import type { ConvertFlags } from './convert/index.ts';
import type { ShowFlags } from './show.ts';

/** Adds the subcommands of `gateway config`. */
export function addConfig({ parent, common, io, registry, does }: GroupDeps): void {
  common('show', 'show the effective configuration and where each value comes from; secrets as references', fileOrStdin)
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
  parent
    .command('convert')
    .description('convert the configuration of another gateway, and report what differs and what is not mapped')
    .argument('<file...>', 'files of the other gateway, or - for standard input')
    .addOption(parent.createOption('--from <name>', 'the other gateway').choices(['litellm', 'portkey']).makeOptionMandatory())
    .option('-o, --output <file>', 'file to write, or - for standard output, which is the default')
    .option('--force', 'replace the file')
    .option('--strict', 'exit code 1 if anything is not mapped')
    .option('--json', 'print JSON')
    .option('--no-color', 'no colors')
    .action(does(async (files: string[], flags: ConvertFlags) => (await import('./convert/index.ts')).convert(files, flags, io, registry)))
    .addHelpText(
      'before',
      examples(
        'config convert --from litellm config.yaml -o gateway.yaml',
        'config convert --from portkey saved-configs.json --strict --json',
      ),
    );
  parent.addHelpText('before', examples('config show', 'config show server.listen', 'config schema > gateway.schema.json'));
}

const examples = (...lines: readonly string[]): string => `Examples:\n${lines.map((line) => `  $ gateway ${line}\n`).join('')}`;
