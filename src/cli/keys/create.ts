import { randomInt } from 'node:crypto';
import { dirname, relative } from 'node:path';
import { load } from '../load.ts';
import { blockText } from '../../config/edit/document.ts';
import { plainNames } from '../../config/schema/shared.ts';
import { fileForKey } from '../../config/edit/written.ts';
import { issueKey, shownPrefix } from '../../core/secrets/key.ts';
import { parseDuration } from '../../core/text/units.ts';
import { writeNew } from './files.ts';
import { type OpenConfig, openConfig, sha256, timeText } from './shared.ts';
import { CommandError, exitCodes, type CommonFlags } from '../command.ts';
import { jsonText, barePath } from '../text.ts';
import type { CliIo } from '../io.ts';
import type { Registry } from '../../gateway/types.ts';

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
  /** Limits that keys do not have yet. */
  readonly rate?: string | undefined;
  readonly tokens?: string | undefined;
  readonly budget?: string | undefined;
  readonly concurrency?: string | undefined;
}

const limits = ['rate', 'tokens', 'budget', 'concurrency'] as const;

/** `gateway keys create NAME`: issues a key, and writes or prints the entry that lets it in. Returns the exit code. */
export async function createKey(name: string, flags: CreateFlags, io: CliIo, registry: Registry): Promise<number> {
  const limit = limits.find((one) => flags[one] !== undefined);
  if (limit !== undefined)
    throw new CommandError(exitCodes.usage, `--${limit} is not supported: this version has no limits for keys`, 'Remove it.');
  if (!new RegExp(plainNames.pattern).test(name))
    throw new CommandError(exitCodes.usage, `"${name}" is not a valid key name`, `Take ${plainNames['x-form']}.`);
  const config = openConfig(flags, io);
  if (config.keys.some((one) => one.name === name))
    throw new CommandError(exitCodes.no, `a key called "${name}" already exists`, `gateway keys rotate ${name} gives it a new secret.`);
  const key = issueKey(flags.test === true ? 'test' : 'live', randomInt);
  const entry = entryOf(key, flags, Date.now());
  const text = blockText('api_keys', name, entry);
  const file = flags.write === true ? fileFor(name, config, io) : undefined;
  const others = await refuseErrors({ name, text, file, config }, io, registry);
  if (file !== undefined) writeNew(file, text, io.cwd);
  print({ name, key, entry, text, file, others }, flags, io);
  return exitCodes.yes;
}

function entryOf(key: string, flags: CreateFlags, now: number): Readonly<Record<string, unknown>> {
  const allow = {
    ...listed('configs', flags.configs),
    ...listed('providers', flags.providers),
    ...listed('models', flags.models),
    ...listed('prompts', flags.prompts),
  };
  const metadata = metadataOf(flags.metadata ?? []);
  return {
    hash: `sha256:${sha256(key)}`,
    prefix: shownPrefix(key),
    created: timeText(now),
    ...(flags.expires === undefined ? {} : { expires: expiryOf(flags.expires, now) }),
    ...(flags.defaultConfig === undefined ? {} : { default_config: flags.defaultConfig }),
    ...(flags.enforceConfig === true ? { enforce_config: true } : {}),
    ...(Object.keys(allow).length === 0 ? {} : { allow }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(flags.debug === true ? { debug: true } : {}),
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

/** `90d`, a date, or a time. */
function expiryOf(text: string, now: number): string {
  const life = /^\d+(\.\d+)?[a-z]+$/i.test(text) ? parseDuration(text) : undefined;
  if (life !== undefined && life > 0) return timeText(now + life);
  if (!/^\d{4}-\d\d-\d\d(T.*)?$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new CommandError(exitCodes.usage, `--expires must be a duration or a date, not "${text}"`, 'For example 90d, or 2027-03-01.');
  if (Date.parse(text) <= now) throw new CommandError(exitCodes.usage, `--expires ${text} is in the past`);
  return text;
}

function fileFor(name: string, { include, path }: OpenConfig, io: CliIo): string {
  const file = fileForKey(name, include, path);
  if (file !== undefined) return file;
  const patterns = [...include, 'configs/keys/*.yaml'].join(', ');
  throw new CommandError(
    exitCodes.no,
    `${barePath(path, io.cwd)} includes no directory for keys, so nothing was written`,
    `Add this line to it, and try again:\n\n  include: [${patterns}]\n\nOr omit --write to print the key's configuration.`,
  );
}

interface Draft {
  readonly name: string;
  readonly text: string;
  readonly file: string | undefined;
  readonly config: OpenConfig;
}

/** Loads the configuration with the new entry in it. Its own faults are refused; says how many others there are. */
async function refuseErrors({ name, text, file, config }: Draft, io: CliIo, registry: Registry): Promise<number> {
  const path = file ?? `${dirname(config.path)}/the configuration of ${name}`;
  const both = JSON.stringify([config.path, path]);
  const source = { text: `version: 1\ninclude: ${both}\n`, name: '<keys>' };
  const { diagnostics } = await load(source, io, registry, { saved: { ...config.texts, [path]: text } });
  const errors = diagnostics.filter((one) => one.severity === 'error');
  const named = [path, relative(io.cwd, path)];
  const [own] = errors.filter((one) => named.includes(one.file));
  if (own !== undefined) throw new CommandError(exitCodes.no, own.message, own.hint);
  // A secret that is set where the gateway runs need not be set here.
  return errors.filter((one) => one.code !== 'unset-variable' && one.code !== 'unreadable-file').length;
}

interface Created {
  readonly name: string;
  readonly key: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly file: string | undefined;
  readonly others: number;
}

function print({ name, key, entry, text, file, others }: Created, { json }: CreateFlags, io: CliIo): void {
  const where = file === undefined ? undefined : barePath(file, io.cwd);
  const invalid = others === 0 ? '' : `the configuration has ${others} other ${others === 1 ? 'error' : 'errors'}: gateway check`;
  if (json === true) {
    io.stdout.write(jsonText({ name, key, ...entry, file: where ?? null, yaml: text }));
    if (invalid !== '') io.stderr.write(`warning: ${invalid}\n`);
    return;
  }
  io.stdout.write(`created api key "${name}"\n\n  ${key}\n\n`);
  io.stdout.write("This is shown once. Clients send it as   x-gateway-api-key: …   or as the SDK's api key.\n");
  if (where === undefined) io.stdout.write(`It works once this is in the configuration (hash only):\n\n${text}`);
  else if (invalid === '') io.stdout.write(`written to ${where} (hash only); a running gateway accepts it at once.\n`);
  else io.stdout.write(`written to ${where} (hash only).\n`);
  if (invalid !== '') io.stderr.write(`warning: it does not work yet, ${invalid}\n`);
}
