import { type CliCommand, type CommandDeps, collect, addExamples } from '../builders.ts';
import type { InitFlags } from './index.ts';

/** Adds `gateway init`. */
export function addInit(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const init = program
    .command('init')
    .description('write a small configuration with comments, and lines in .gitignore; never overwrites a file without --force')
    .option('--provider <name>', 'a provider type such as openai, groq or ollama; default: the providers whose keys are set')
    .option('--key-env <variable>', 'name of the variable that holds its key; name=variable for a fallback; repeatable', collect)
    .option('--fallback <name>', 'provider to try when the first one fails; repeatable', collect)
    .option('--file <file>', 'file to write instead of gateway.yaml')
    .option('--force', 'replace the file')
    .option('--no-input', 'do not prompt')
    .option('--dry-run', 'print it, write nothing')
    .option('--json', 'print JSON')
    .action(toAction(async (flags: InitFlags) => (await import('./index.ts')).init(flags, io, registry)));
  addExamples(
    init,
    'gateway init --provider openai',
    'gateway init --provider groq --key-env MY_GROQ_KEY --fallback openai',
    'gateway init --provider ollama --file local.yaml',
  );
}
