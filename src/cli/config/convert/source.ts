import { resolve } from 'node:path';
import { maxConfigFile, readText } from '../../../config/read/files.ts';
import type { Node } from '../../../config/read/node.ts';
import { parse, sourceFile } from '../../../config/read/yaml/parse.ts';
import type { Problem } from '../../../config/report/problem.ts';
import { CommandError, exitCodes, readNamed } from '../../command.ts';
import type { CliIo } from '../../io.ts';
import { barePath } from '../../../core/text/display-path.ts';

/** A file of another gateway. */
export interface SourceTree {
  readonly name: string;
  readonly root: Node;
}

/** Reads a file, or standard input for `-`. @throws CommandError; its message contains no text of the file */
export async function readSource(name: string, io: CliIo): Promise<SourceTree> {
  if (name === '') throw new CommandError(exitCodes.usage, 'the name of the file is empty');
  const path = resolve(io.cwd, name);
  const shown = name === '-' ? '<stdin>' : barePath(path, io.cwd);
  const { file, text } = sourceFile(
    name === '-' ? '' : path,
    shown,
    name === '-' ? await readInput(io) : readNamed(shown, () => readText(path, maxConfigFile)),
  );
  const problems: Problem[] = [];
  const { root } = parse(
    file,
    text,
    (problem) => void problems.push(problem),
    () => undefined,
  );
  const [first] = problems;
  if (first !== undefined)
    throw new CommandError(exitCodes.no, `${shown}:${first.at.line}: not read as YAML or JSON [${first.code}]`, 'Nothing was written.');
  if (root === undefined) throw new CommandError(exitCodes.no, `${shown} is empty`);
  return { name: shown, root };
}

async function readInput(io: CliIo): Promise<string> {
  const text = await io.readStdin();
  if (Buffer.byteLength(text) > maxConfigFile) throw new CommandError(exitCodes.no, '<stdin> cannot be read: it is too large');
  return text;
}
