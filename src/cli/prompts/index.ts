import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compilePrompts } from '../../config/compile/prompts/index.ts';
import { complete } from '../../config/compile/steps.ts';
import { type LoadedConfig, loadConfig } from '../../config/reload/load.ts';
import { reasonOf } from '../../config/read/files.ts';
import { fromUnknown } from '../../core/error.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { choosePrompt, promptName, promptPatch, type PromptVersion, type StoredPrompt, variablesFor } from '../../core/model/prompt.ts';
import { parseSize } from '../../core/text/units.ts';
import type { CheckIo, CheckRegistry } from '../check.ts';
import { findConfig } from '../find-config.ts';
import { prettyDiagnostics } from '../diagnostics.ts';
import { listedPrompts, renderedPrompt } from './render.ts';

export interface PromptOptions {
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

export interface RenderOptions extends PromptOptions {
  /** `name=value`, each. */
  readonly var?: readonly string[] | undefined;
  /** `name=path`, each. */
  readonly varFile?: readonly string[] | undefined;
}

/** Exit codes: done, the answer is no, wrong usage, the configuration is invalid. */
const done = 0;
const no = 1;
const wrongUsage = 2;
const invalid = 3;

const defaultMaxBody = 50_000_000;

/** `gateway prompts list`: every prompt with its versions and labels. Resolves to the exit code. */
export async function listPrompts(options: PromptOptions, io: CheckIo, registry: CheckRegistry): Promise<number> {
  const found = await load(options, io, registry);
  if (found === undefined) return invalid;
  const prompts = [...found.prompts.values()];
  if (options.json === true) io.stdout(found.mask(`${JSON.stringify(prompts.map(found.rowOf), null, 2)}\n`));
  else if (prompts.length > 0) io.stdout(found.mask(listedPrompts(prompts)));
  if (prompts.length === 0) io.stderr('no prompts are defined; define them under "prompts" in gateway.yaml\n');
  return prompts.length === 0 ? no : done;
}

/** `gateway prompts render NAME`: what a call of it would send, without sending anything. Resolves to the exit code. */
export async function renderPrompt(reference: string, options: RenderOptions, io: CheckIo, registry: CheckRegistry): Promise<number> {
  const found = await load(options, io, registry);
  if (found === undefined) return invalid;
  try {
    const { version } = choosePrompt(found.prompts, reference);
    const values = valuesFor(version, options, io.cwd);
    const given = variablesFor(version, values, (text) => io.stderr(`warning: ${text}\n`));
    const messages = version.messages(given, found.maxBody);
    const body = Object.fromEntries(promptPatch(version, messages, { stream: false, has: () => false }));
    io.stdout(found.mask(options.json === true ? `${JSON.stringify(body, null, 2)}\n` : renderedPrompt(version, body)));
    return done;
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      io.stderr(`error: ${thrown.message}\n`);
      return wrongUsage;
    }
    const { message, hint } = fromUnknown(thrown);
    io.stderr(found.mask(`error: ${message}\n${hint === undefined ? '' : `${hint}\n`}`));
    return no;
  }
}

interface Found {
  readonly prompts: ReadonlyMap<string, StoredPrompt>;
  readonly maxBody: number;
  mask(text: string): string;
  /** One prompt for machines. */
  rowOf(prompt: StoredPrompt): object;
}

/** Secrets of providers may be missing: nothing is called. What is wrong is printed. */
async function load(options: PromptOptions, io: CheckIo, registry: CheckRegistry): Promise<Found | undefined> {
  const found = findConfig(options.config, io.env, io.cwd);
  if ('looked' in found) {
    io.stderr(
      `error: no configuration found; looked for ${found.looked.join(' and ')}\nName a file with -c FILE, or - for standard input.\n`,
    );
    return undefined;
  }
  const source = 'path' in found ? found : { text: await io.stdin(), name: '<stdin>' };
  const loaded = await loadConfig({ source, cwd: io.cwd, env: io.env, ...registry, allowMissingSecrets: true });
  if (loaded.tree === undefined) {
    const errors = loaded.diagnostics.filter(({ severity }) => severity === 'error');
    io.stderr(`${prettyDiagnostics(errors, { colors: io.isTty })}\n`);
    return undefined;
  }
  const { tree, secrets } = loaded;
  const mask = createMask(secrets);
  return {
    prompts: complete(compilePrompts(tree.prompts)),
    maxBody: maxBodyOf(tree),
    mask: (text) => mask.text(text),
    rowOf: (prompt) => rowOf(prompt, tree.prompts?.[prompt.id]?.description),
  };
}

function maxBodyOf({ server }: NonNullable<LoadedConfig['tree']>): number {
  const written = server?.max_body;
  return (typeof written === 'string' ? parseSize(written) : written) ?? defaultMaxBody;
}

class UsageError extends Error {}

/** A value is text; where the prompt asks for another type it is read as JSON. */
function valuesFor(version: PromptVersion, { var: texts = [], varFile: files = [] }: RenderOptions, cwd: string): Record<string, unknown> {
  const values = Object.create(null) as Record<string, unknown>;
  const add = (name: string, text: string): void => {
    const type = version.variables.get(name)?.type ?? 'string';
    values[name] = type === 'string' ? text : jsonOr(text);
  };
  for (const pair of texts) add(...split(pair, '--var'));
  for (const pair of files) {
    const [name, path] = split(pair, '--var-file');
    add(name, read(resolve(cwd, path), path));
  }
  return values;
}

function split(pair: string, flag: string): [string, string] {
  const cut = pair.indexOf('=');
  if (cut <= 0) throw new UsageError(`${flag} must be name=${flag === '--var' ? 'value' : 'path'}, not "${pair}"`);
  return [pair.slice(0, cut), pair.slice(cut + 1)];
}

function read(file: string, shown: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`the file "${shown}" cannot be read (${reasonOf(error)})`);
  }
}

/** What is no JSON stays text, so that the message about its type is the one that a call would get. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function rowOf({ id, published, versions, labels }: StoredPrompt, description: string | undefined): object {
  return {
    id,
    description: description ?? null,
    published: published.number,
    labels: Object.fromEntries([...labels].map(([label, { number }]) => [label, number])),
    versions: [...versions.values()].map((version) => ({
      name: promptName(version),
      version: version.number,
      model: version.model ?? null,
      config: version.config ?? null,
      variables: Object.fromEntries(
        [...version.variables].map(([name, variable]) => [
          name,
          { type: variable.type ?? null, required: variable.required, default: variable.default ?? null },
        ]),
      ),
      reads: [...version.reads],
    })),
  };
}
