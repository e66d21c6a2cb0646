import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compilePrompts } from '../../config/compile/prompts/index.ts';
import { compileServer } from '../../config/compile/server.ts';
import { runSteps } from '../../core/async/steps.ts';
import { fromUnknown } from '../../core/error.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { choosePrompt, promptName, promptPatch, type PromptVersion, type StoredPrompt, variablesFor } from '../../core/model/prompt.ts';
import { listedPrompts, renderedPrompt } from './render.ts';
import { CommandError, exitCodes, type CommonFlags, readNamed } from '../command.ts';
import { jsonText } from '../text.ts';
import { loadTree, nameFile } from '../load.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import type { Registry } from '../../gateway/types.ts';

export interface RenderFlags extends CommonFlags {
  /** Each as `name=value`. */
  readonly var?: readonly string[] | undefined;
  /** Each as `name=path`. */
  readonly varFile?: readonly string[] | undefined;
}

/** `gateway prompts list`: prints each prompt with its versions and labels. Resolves to the exit code. */
export async function listPrompts(flags: CommonFlags, io: CliIo, registry: Registry): Promise<number> {
  const found = await open(flags, io, registry);
  const prompts = [...found.prompts.values()];
  if (flags.json === true) io.stdout.write(found.mask(jsonText(prompts.map(found.rowOf))));
  else if (prompts.length > 0) io.stdout.write(listedPrompts(prompts, found.mask, terminalWidth(io.stdout)));
  if (prompts.length === 0) io.stderr.write('no prompts are defined; define them under "prompts" in gateway.yaml\n');
  return exitCodes.yes;
}

/** `gateway prompts render NAME`: prints the request that a call would send, without sending it. Resolves to the exit code. */
export async function renderPrompt(reference: string, flags: RenderFlags, io: CliIo, registry: Registry): Promise<number> {
  const found = await open(flags, io, registry);
  try {
    const { version } = choosePrompt(found.prompts, reference);
    const values = valuesFor(version, flags, io.cwd);
    const given = variablesFor(version, values, (text) => io.stderr.write(`warning: ${text}\n`));
    const messages = version.messages(given, found.maxBody);
    const body = Object.fromEntries(promptPatch(version, messages, { stream: false, has: () => false }));
    io.stdout.write(found.mask(flags.json === true ? jsonText(body) : renderedPrompt(version, body)));
    return exitCodes.yes;
  } catch (thrown) {
    if (thrown instanceof CommandError) throw thrown;
    const { message, hint = '', param = '' } = fromUnknown(thrown);
    // The hint is for the body of a call.
    const flag = param.startsWith('variables.') ? 'In this command: --var name=value, or --var-file name=path.' : '';
    const lines = [found.mask(hint), flag].filter((line) => line !== '');
    throw new CommandError(exitCodes.no, found.mask(message), lines.length === 0 ? undefined : lines.join('\n'));
  }
}

interface OpenPrompts {
  readonly prompts: ReadonlyMap<string, StoredPrompt>;
  readonly maxBody: number;
  mask(text: string): string;
  /** One prompt as JSON. */
  rowOf(prompt: StoredPrompt): object;
}

async function open(flags: CommonFlags, io: CliIo, registry: Registry): Promise<OpenPrompts> {
  const { loaded, tree } = await loadTree(flags, io, registry, nameFile);
  const mask = createMask(loaded.secrets);
  return {
    prompts: runSteps(compilePrompts(tree.prompts)),
    maxBody: compileServer(tree.server).maxBody,
    mask: (text) => mask.text(text),
    rowOf: (prompt) => rowOf(prompt, tree.prompts?.[prompt.id]?.description),
  };
}

/** Values of the flags. A value is text, but is parsed as JSON if the prompt declares another type. */
function valuesFor(version: PromptVersion, { var: texts = [], varFile: files = [] }: RenderFlags, cwd: string): Record<string, unknown> {
  const values = Object.create(null) as Record<string, unknown>;
  const add = (name: string, text: string): void => {
    const type = version.variables.get(name)?.type ?? 'string';
    values[name] = type === 'string' ? text : jsonOr(text);
  };
  for (const pair of texts) add(...split(pair, '--var'));
  for (const pair of files) {
    const [name, path] = split(pair, '--var-file');
    add(name, readNamed(path, () => readFileSync(resolve(cwd, path), 'utf8')).replace(/\r?\n$/, ''));
  }
  return values;
}

function split(pair: string, flag: string): [string, string] {
  const cut = pair.indexOf('=');
  if (cut <= 0) throw new CommandError(exitCodes.usage, `${flag} must be name=${flag === '--var' ? 'value' : 'path'}, not "${pair}"`);
  return [pair.slice(0, cut), pair.slice(cut + 1)];
}

/** Invalid JSON stays text, so that the error about its type is the same as for a call. */
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
