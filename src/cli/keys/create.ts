import { dirname, relative } from 'node:path';
import { load } from '../load.ts';
import { fileForKey } from '../../config/edit/written.ts';
import { issue, type KeyRules } from '../../manage/keys/change.ts';
import { writeNew } from '../../manage/keys/files.ts';
import type { OpenConfig } from '../../manage/keys/shared.ts';
import { invalidText, openConfig, printSecret } from './shared.ts';
import { CommandError, exitCodes, type CommonFlags } from '../command.ts';
import { jsonText } from '../text.ts';
import type { CliIo } from '../io.ts';
import type { Registry } from '../../gateway/types.ts';
import { isError } from '../../config/report/diagnostic.ts';
import { barePath } from '../../core/text/display-path.ts';

export interface CreateFlags extends CommonFlags {
  readonly configs?: string | undefined;
  readonly providers?: string | undefined;
  readonly models?: string | undefined;
  readonly prompts?: string | undefined;
  readonly defaultConfig?: string | undefined;
  readonly enforceConfig?: boolean | undefined;
  readonly metadata?: readonly string[] | undefined;
  readonly expires?: string | undefined;
  readonly test?: boolean | undefined;
  readonly debug?: boolean | undefined;
  readonly write?: boolean | undefined;
  readonly rate?: string | undefined;
  readonly tokens?: string | undefined;
  readonly budget?: string | undefined;
  readonly concurrency?: string | undefined;
}

/** `gateway keys create NAME`: issues a key, and writes or prints its entry. Returns the exit code. */
export async function createKey(name: string, flags: CreateFlags, io: CliIo, registry: Registry): Promise<number> {
  const config = openConfig(flags, io);
  const { key, entry, text } = issue(name, rulesOf(flags), config.keys, Date.now());
  const file = flags.write === true ? fileFor(name, config, io) : undefined;
  const invalid = await checkEntry({ name, text, file, config }, flags, io, registry);
  const undo = file === undefined ? undefined : writeNew(file, text, config.path, io.cwd);
  const code = await printSecret(io, textOf({ name, key, entry, text, file, invalid }, flags, io.cwd), undo);
  if (code !== exitCodes.yes) return code;
  if (invalid !== undefined) io.stderr.write(`warning: the new key does not work yet, ${invalid}\n`);
  if (config.keys.length === 0)
    io.stderr.write('note: it is the first key: with it, the gateway rejects requests that have neither a key nor a token\n');
  return code;
}

function rulesOf(flags: CreateFlags): KeyRules {
  const { rate, tokens, budget, concurrency } = flags;
  return {
    allow: {
      ...listed('configs', flags.configs),
      ...listed('providers', flags.providers),
      ...listed('models', flags.models),
      ...listed('prompts', flags.prompts),
    },
    limits: { rate, tokens, budget, concurrency },
    expires: flags.expires,
    defaultConfig: flags.defaultConfig,
    enforceConfig: flags.enforceConfig === true,
    metadata: metadataOf(flags.metadata ?? []),
    debug: flags.debug === true,
    kind: flags.test === true ? 'test' : 'live',
  };
}

function listed(key: string, text: string | undefined): Readonly<Record<string, readonly string[]>> {
  if (text === undefined) return {};
  const names = text.split(',').flatMap((one) => one.trim() || []);
  if (names.length === 0) throw new CommandError(exitCodes.usage, `--${key} is empty`, `Write --${key} a,b, or leave it out: no limit.`);
  return { [key]: names };
}

function metadataOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf('=');
      if (cut < 1) throw new CommandError(exitCodes.usage, `--metadata must be name=value, not "${pair}"`);
      return [pair.slice(0, cut), pair.slice(cut + 1)];
    }),
  );
}

function fileFor(name: string, { include, path }: OpenConfig, io: CliIo): string {
  const file = fileForKey(name, include, path);
  if (file !== undefined) return file;
  const patterns = [...include, 'configs/keys/*.yaml'].join(', ');
  throw new CommandError(
    exitCodes.no,
    `${barePath(path, io.cwd)} includes no directory for keys, so nothing was written`,
    `${include.length === 0 ? 'Add this line to it' : 'Replace its include with this line'}, and try again:\n\n  include: [${patterns}]\n\nOr omit --write to print the key's configuration.`,
  );
}

interface KeyDraft {
  readonly name: string;
  readonly text: string;
  readonly file: string | undefined;
  readonly config: OpenConfig;
}

/** Loads the configuration with the new entry. Fails if the entry has errors; returns other errors as text. */
async function checkEntry(
  { name, text, file, config }: KeyDraft,
  flags: CreateFlags,
  io: CliIo,
  registry: Registry,
): Promise<string | undefined> {
  const path = file ?? `${dirname(config.path)}/the configuration of ${name}`;
  const both = JSON.stringify([config.path, path]);
  const source = { text: `version: 1\ninclude: ${both}\n`, name: '<keys>' };
  const { diagnostics } = await load(source, io, registry, { saved: { ...config.texts, [path]: text } });
  const errors = diagnostics.filter(isError);
  const named = [path, relative(io.cwd, path)];
  const [entryError] = errors.filter((one) => named.includes(one.file));
  if (entryError !== undefined) throw new CommandError(exitCodes.no, entryError.message, entryError.hint);
  return invalidText(errors, flags);
}

interface Created {
  readonly name: string;
  readonly key: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly file: string | undefined;
  readonly invalid: string | undefined;
}

function textOf({ name, key, entry, text, file, invalid }: Created, { json }: CreateFlags, cwd: string): string {
  const where = file === undefined ? undefined : barePath(file, cwd);
  if (json === true) return jsonText({ name, key, ...entry, file: where ?? null, yaml: text });
  const next =
    where === undefined
      ? `Add this to the configuration (it contains only the hash):\n\n${text}`
      : `written to ${where} (hash only)${invalid === undefined ? '; a running gateway accepts it at once' : ''}.\n`;
  return `created api key "${name}"\n\n  ${key}\n\nThe key is shown only once. Clients send it as   x-gateway-api-key: …   or as the API key of the SDK.\n${next}`;
}
