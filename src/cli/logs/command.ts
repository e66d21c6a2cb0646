import { type CliCommand, type CommandDeps, addExamples, addExamplesTo, addGroup, addRemoteCommand } from '../builders.ts';
import { addReplay } from '../replay/command.ts';
import type { SearchFlags, ExportFlags } from './search.ts';
import type { ShowFlags } from './show.ts';
import type { StatsFlags } from './stats.ts';
import type { TailFlags } from './tail.ts';

/** Adds `gateway logs`. */
export function addLogs(program: CliCommand, deps: CommandDeps): void {
  const { io, toAction } = deps;
  const parent = addGroup(program, 'logs', 'follow, search, show, export, count and replay recorded requests');
  addExamples(
    parent,
    'gateway logs tail --errors',
    'gateway logs search config:support latency:>2s --since 1h',
    'gateway logs show req_01JD3M… --diff',
    'gateway logs stats --by model --since 7d',
  );
  const filter = ['[query...]', 'a filter such as status:>=400 meta.user:u42; see gateway help filters'] as const;
  const between = (command: CliCommand): CliCommand =>
    command
      .option('--since <when>', 'only what is newer: 1h, 7d, or a time (UTC without a zone)')
      .option('--until <when>', 'only what is older');
  const kinds = (command: CliCommand): CliCommand =>
    command.option('--errors', 'only requests that failed').option('--slow <duration>', 'only requests that took longer');
  kinds(addRemoteCommand(parent, 'tail', 'print requests as they end').argument(...filter))
    .option('--sample <percentage>', 'print a random share of the requests')
    .option('--body', 'also print the last message of the user')
    .option('--limit <number>', 'stop after this number of requests')
    .action(toAction(async (words: string[], flags: TailFlags) => (await import('./tail.ts')).tail(words, flags, io)));
  between(kinds(addRemoteCommand(parent, 'search', 'list requests, newest first; exit code 1 if nothing is found').argument(...filter)))
    .option('--limit <number>', 'maximum number of requests', '50')
    .option('--columns <names>', 'columns, separated by commas: time,status,model,meta.user')
    .option('--csv', 'print CSV')
    .action(toAction(async (words: string[], flags: SearchFlags) => (await import('./search.ts')).search(words, flags, io)));
  addRemoteCommand(parent, 'show', 'show one request: route, attempts, tokens, cost, and what the log has stored')
    .argument('<id>', 'id of the request, the beginning of the id, or the URL of its page')
    .option('--body', 'also print headers and bodies')
    .option('--upstream', 'also print what was sent to the provider')
    .option('--diff', 'also print how it differs from the request of the client, and why')
    .option('--curl', 'print only a curl command that sends the request again')
    .action(toAction(async (id: string, flags: ShowFlags) => (await import('./show.ts')).show(id, flags, io)));
  between(addRemoteCommand(parent, 'export', 'print all requests that match').argument(...filter))
    .option('--format <format>', 'jsonl or csv', 'jsonl')
    .option('--csv', 'print CSV, as --format csv')
    .option('--columns <names>', 'columns of CSV')
    .option('--full', 'complete records instead of rows; without bodies')
    .option('--limit <number>', 'maximum number of requests')
    .action(toAction(async (words: string[], flags: ExportFlags) => (await import('./search.ts')).exportLogs(words, flags, io)));
  between(addRemoteCommand(parent, 'stats', 'print counts, errors, times, tokens and cost').argument(...filter))
    .option('--by <field>', 'field to group by: status, config, provider, model, key, endpoint, error, reason, meta.<key> or label.<name>')
    .option('--top <number>', 'maximum number of groups; the others are combined', '20')
    .option('--csv', 'print CSV')
    .action(toAction(async (words: string[], flags: StatsFlags) => (await import('./stats.ts')).stats(words, flags, io)));
  addExamplesTo(parent, examples);
  addReplay(parent, deps);
}

const examples = {
  tail: ['gateway logs tail', 'gateway logs tail --errors', 'gateway logs tail config:support --slow 2s --body'],
  search: ["gateway logs search 'status:>=400' --since 1h", 'gateway logs search --errors --columns time,id,error,meta.user --csv'],
  show: ['gateway logs show req_01JD3M…', 'gateway logs show req_01JD3M… --diff', 'gateway logs show req_01JD3M… --curl'],
  export: ['gateway logs export --since 1d > requests.jsonl', 'gateway logs export config:support --format csv'],
  stats: ['gateway logs stats --by model --since 7d', 'gateway logs stats config:support --by meta.user --top 5'],
};
