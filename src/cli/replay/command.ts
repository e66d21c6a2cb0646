import { type CliCommand, type CommandDeps, addExamples, addRemoteCommand } from '../builders.ts';
import type { ReplayFlags } from './index.ts';

/** Adds `replay`, as a top-level command or as a subcommand of `logs`. */
export function addReplay(parent: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const replay = addRemoteCommand(parent, 'replay', 'send a recorded request again, after showing what is sent')
    .argument('<id>', 'id of the recorded request')
    .option('--to <target>', 'provider/model to use instead of the original target')
    .option('--config-name <name>', 'config to use instead of the original one')
    .option('--dry-run', 'explain it and send nothing; with -c under another file')
    .option('--diff', 'print the differences between the responses')
    .option('--force', 'send a body although parts of it were masked in the log')
    .option('--key-stdin', 'read an API key of the gateway from standard input; default $GATEWAY_API_KEY')
    .action(toAction(async (id: string, flags: ReplayFlags) => (await import('./index.ts')).replay(id, flags, io, registry)));
  addExamples(
    replay,
    'gateway replay req_01JD3M…',
    'gateway replay req_01JD3M… --to azure-eu/gpt-4o-mini --diff',
    'gateway replay req_01JD3M… --dry-run -c new.yaml',
  );
}
