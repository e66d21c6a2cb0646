import { type CliCommand, type CommandDeps, addCommand, addExamples, addExamplesTo, addGroup } from '../builders.ts';
import type { CommonFlags } from '../command.ts';
import type { ListFlags } from './list.ts';
import type { CreateFlags } from './create.ts';
import type { RotateFlags } from './rotate.ts';

/** Adds `gateway keys`. */
export function addKeys(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const parent = addGroup(program, 'keys', 'issue, list, rotate, revoke and identify API keys of the gateway');
  addCommand(parent, 'create', 'issue a key; it is shown once, only its hash is stored')
    .argument('<name>')
    .option('--configs <names>', 'configs that the key may use, separated by commas')
    .option('--providers <slugs>', 'providers that the key may use, separated by commas')
    .option('--models <globs>', 'models that the key may use, separated by commas')
    .option('--prompts <names>', 'stored prompts that the key may use, separated by commas')
    .option('--default-config <name>', 'config for requests that name no config and no provider')
    .option('--enforce-config', 'reject every other choice')
    .option('--rate <limit>', 'maximum requests, such as 60/min; per s, min, h or day')
    .option('--tokens <limit>', 'maximum tokens of requests and responses together, such as 200k/min')
    .option('--budget <limit>', 'maximum cost, such as 50USD/month; per day, week or month (UTC)')
    .option('--concurrency <count>', 'maximum requests in flight')
    .option('--metadata <name=value...>', 'metadata for the records of its requests')
    .option('--expires <when>', 'a duration such as 90d, or a date')
    .option('--test', 'issue a gw_test_ key')
    .option('--debug', 'set debug: true for the key; has no effect in this version')
    .option('--write', 'write the key to a new file in the included directory for keys')
    .action(toAction(async (name: string, flags: CreateFlags) => (await import('./create.ts')).createKey(name, flags, io, registry)));
  addCommand(parent, 'list', 'list keys: permissions, limits, expiry, last use, cost')
    .option('--find <words>', 'only keys whose name, prefix, permissions and state contain these words')
    .action(toAction(async (flags: ListFlags) => (await import('./list.ts')).listKeys(flags, io)));
  addCommand(parent, 'rotate', 'issue a new secret; the old one works until the overlap ends')
    .argument('<name>')
    .option('--overlap <duration>', 'how long both secrets work', '24h')
    .action(toAction(async (name: string, flags: RotateFlags) => (await import('./rotate.ts')).rotateKey(name, flags, io, registry)));
  addCommand(parent, 'revoke', 'revoke a key: the gateway rejects it from now on')
    .argument('<name>')
    .action(toAction(async (name: string, flags: CommonFlags) => (await import('./revoke.ts')).revokeKey(name, flags, io, registry)));
  addCommand(parent, 'verify', 'identify a key read from standard input')
    // Any argument may be a key, so it is rejected without printing it.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(toAction(async (flags: CommonFlags, { args }: CliCommand) => (await import('./verify.ts')).verifyKey(args, flags, io)));
  addExamplesTo(parent, {
    create: [
      'gateway keys create app-web',
      'gateway keys create app-web --configs support,draft --expires 90d --write',
      'gateway keys create app-web --rate 60/min --budget 50USD/month',
    ],
    list: ['gateway keys list', 'gateway keys list --find "app-web revoked"', 'gateway keys list --json'],
    rotate: ['gateway keys rotate app-web', 'gateway keys rotate app-web --overlap 7d'],
    revoke: ['gateway keys revoke app-web'],
    verify: ['gateway keys verify < key.txt'],
  });
  addExamples(
    parent,
    'gateway keys create app-web --configs support --expires 90d --write',
    'gateway keys rotate app-web --overlap 24h',
    'gateway keys verify < key.txt',
  );
}
