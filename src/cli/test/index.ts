import { writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { reasonOf } from '../../config/read/files.ts';
import { Validators } from '../../config/validate/schemas/validators.ts';
import type { Registry } from '../../gateway/types.ts';
import { openTester } from '../../gateway/testing/open.ts';
import { readTestFile, type TestFile } from '../../testing/file/read.ts';
import { testFileSchema } from '../../testing/file/schema.ts';
import { checkOutputName, CommandError, type CommonFlags, exitCodes } from '../command.ts';
import { prettyDiagnostics } from '../diagnostics.ts';
import { loadComplete } from '../explain/load-complete.ts';
import { type CliIo, hasColors } from '../io.ts';
import { jsonText } from '../text.ts';
import { testFiles } from './files.ts';
import { junitText } from './junit.ts';
import { type FileResult, jsonReport, type TestRunResult } from './report.ts';
import { columnOf, resultText, summaryText } from './text.ts';
import { setupFailed } from '../load.ts';

export interface TestFlags extends CommonFlags {
  readonly filter?: string | undefined;
  readonly junit?: string | undefined;
}

/** `gateway test`: runs the tests of the configuration. Returns the exit code: 1 if one failed, or if there are none. */
export async function test(named: readonly string[], flags: TestFlags, io: CliIo, registry: Registry): Promise<number> {
  checkOutputName(flags.junit, 'To print the results, use --json.');
  const begun = performance.now();
  const { loaded, written } = await loadComplete(flags, io, registry);
  const paths = testFiles(named, loaded.files, io);
  if (paths.length === 0) throw new CommandError(exitCodes.no, 'no test files found', hint);
  const files = selected(await readAll(paths, io, flags), flags.filter);
  if (files.every(({ tests }) => tests.length === 0)) throw new CommandError(exitCodes.no, `no test matches "${flags.filter ?? ''}"`);
  const tester = openTester({ loaded, written, registry });
  const column = columnOf(files.map(({ name }) => name));
  const results: FileResult[] = [];
  for (const { name: file, tests } of files) {
    for (const one of tests) {
      const ran = await tester.run(one).catch((error: unknown) => {
        throw setupFailed(error);
      });
      const result = { file, ...ran };
      results.push(result);
      if (flags.json !== true) io.stdout.write(resultText(result, column, hasColors(io.stdout, io)));
    }
  }
  const run: TestRunResult = { results, ms: performance.now() - begun };
  if (flags.json === true) io.stdout.write(jsonText(jsonReport(run)));
  else io.stdout.write(summaryText(run));
  if (flags.junit !== undefined) write(resolve(io.cwd, flags.junit), junitText(run));
  return results.some(({ failures }) => failures.length > 0) ? exitCodes.no : exitCodes.yes;
}

const hint = 'Write tests to a file that ends in .test.yaml, in the folder of the configuration; docs/testing.md has an example.';

/** @throws CommandError when a file is not valid; all problems are printed */
async function readAll(paths: readonly string[], io: CliIo, flags: TestFlags): Promise<readonly TestFile[]> {
  const validators = new Validators([testFileSchema]);
  const files: TestFile[] = [];
  for (const path of paths) files.push(await readTestFile(path, nameOf(path, io.cwd), validators));
  const diagnostics = files.flatMap((file) => file.diagnostics);
  if (diagnostics.length === 0) return files;
  if (flags.json === true) io.stdout.write(jsonText({ ok: false, passed: 0, failed: 0, ms: 0, tests: [], diagnostics }));
  io.stderr.write(`${prettyDiagnostics(diagnostics, { colors: hasColors(io.stderr, io) })}\n`);
  throw new CommandError(exitCodes.invalid, '');
}

function nameOf(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}

const selected = (files: readonly TestFile[], filter: string | undefined): readonly TestFile[] =>
  filter === undefined
    ? files
    : files.map((file) => ({ ...file, tests: file.tests.filter(({ name }) => `${file.name} ${name}`.includes(filter)) }));

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandError(exitCodes.no, `${path} cannot be written (${reasonOf(error)})`);
  }
}
