import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { headerNamePattern, headerValuePattern } from '../../core/http/header-text.ts';
import { canonicalPrefix } from '../../core/http/headers.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { parseJson } from '../../core/json/scan.ts';
import type { ExplainRequest } from '../../core/logs/explanation.ts';
import type { AdminFlags } from '../admin/target.ts';
import { CommandError, exitCodes, readNamed } from '../command.ts';
import type { CliIo } from '../io.ts';

export interface ExplainFlags extends AdminFlags {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  /** JSON text, `@file`, or `-` for standard input. */
  readonly body?: string | undefined;
  /** Each as `name: value`. */
  readonly header?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly user?: string | undefined;
  readonly configName?: string | undefined;
  readonly key?: string | undefined;
  readonly assume?: readonly string[] | undefined;
  readonly random?: string | undefined;
  readonly asCurl?: boolean | undefined;
  /** Id of a recorded request. */
  readonly fromLog?: string | undefined;
  /** Use the configuration of the running gateway. */
  readonly running?: boolean | undefined;
}

/**
 * Builds the request that the flags describe.
 * @throws CommandError
 */
export async function requestOf(flags: ExplainFlags, io: CliIo, logged: ExplainRequest = {}): Promise<ExplainRequest> {
  const headers = { ...logged.headers, ...headersOf(flags.header ?? []) };
  if (flags.configName !== undefined) headers[`${canonicalPrefix}config`] = flags.configName;
  const assume = parseAssumptions(flags.assume ?? []);
  return {
    ...logged,
    ...(flags.method === undefined ? {} : { method: flags.method }),
    ...(flags.path === undefined ? {} : { path: flags.path }),
    headers,
    ...(await bodyOf({ ...flags, method: flags.method ?? logged.method }, io, logged.body)),
    ...(flags.key === undefined ? {} : { key: flags.key }),
    ...(assume === undefined ? {} : { assume }),
    ...(flags.random === undefined ? {} : { random: randomOf(flags.random) }),
  };
}

async function bodyOf({ body, model, user, method }: ExplainFlags, io: CliIo, logged: unknown): Promise<{ readonly body?: unknown }> {
  const written = body === undefined ? logged : await textOf(body, io);
  if (model === undefined && user === undefined) {
    if (written !== undefined) return { body: written };
    return method === undefined || method.toUpperCase() === 'POST' ? { body: chat('gpt-4o-mini', 'hello') } : {};
  }
  if (written === undefined) return { body: chat(model ?? 'gpt-4o-mini', user ?? 'hello') };
  const bodyObject = typeof written === 'string' ? objectOf(written) : written;
  if (!isJsonObject(bodyObject))
    throw new CommandError(exitCodes.usage, 'the body is not a JSON object', 'Omit --model and --user to send it unchanged.');
  return {
    body: {
      ...bodyObject,
      ...(model === undefined ? {} : { model }),
      ...(user === undefined ? {} : { messages: [{ role: 'user', content: user }] }),
    },
  };
}

const chat = (model: string, text: string): object => ({ model, messages: [{ role: 'user', content: text }] });

async function textOf(written: string, io: CliIo): Promise<string> {
  if (written === '-') return io.readStdin();
  if (!written.startsWith('@')) return written;
  const name = written.slice(1);
  return readNamed(name, () => readFileSync(resolve(io.cwd, name), 'utf8'));
}

function objectOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new CommandError(exitCodes.usage, 'the body is not JSON', 'Omit --model and --user to send it unchanged.');
  }
}

/** `name: value`, as HTTP allows it: no client can send another. */
const headerLine = new RegExp(String.raw`^\s*(${headerNamePattern})\s*:(${headerValuePattern})$`, 'u');

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = headerLine.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [name.toLowerCase(), value.trim()];
      throw new CommandError(exitCodes.usage, `"${line.slice(0, 40)}" is no header`, "Write it as --header 'name: value'.");
    }),
  );
}

function parseAssumptions(pairs: readonly string[]): ExplainRequest['assume'] {
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const separator = pair.lastIndexOf('=');
      const [slug, result] = [pair.slice(0, Math.max(0, separator)), pair.slice(separator + 1)];
      if (slug !== '' && (result === 'timeout' || result === 'reset')) return [slug, result];
      if (slug !== '' && /^[1-5]\d\d$/.test(result)) return [slug, Number(result)];
      throw new CommandError(
        exitCodes.usage,
        `"${pair}" is not an assumption`,
        'Write it as --assume openai-main=429, =timeout or =reset.',
      );
    }),
  );
}

function randomOf(text: string): number {
  const number = Number(text);
  if (text !== '' && number >= 0 && number < 1) return number;
  throw new CommandError(exitCodes.usage, `--random needs a number from 0 to below 1, not "${text}"`);
}
