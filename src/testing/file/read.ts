import { maxConfigFile, readText, reasonOf } from '../../config/read/files.ts';
import { itemsOf, type Node, nodeAt, type SourceFile, type SourceLocation, textOf } from '../../config/read/node.ts';
import { parse, sourceFile } from '../../config/read/yaml/parse.ts';
import { type Diagnostic, sortDiagnostics } from '../../config/report/diagnostic.ts';
import { withFrames } from '../../config/report/frame.ts';
import { locationText, type Problem, type ProblemReporter } from '../../config/report/problem.ts';
import { validateBy } from '../../config/validate/schema.ts';
import type { Validators } from '../../config/validate/schemas/validators.ts';
import type { TestCase } from '../test-case.ts';
import { caseOf } from './case.ts';
import { testFileSchema } from './schema.ts';

export interface TestFile {
  /** Name for people. */
  readonly name: string;
  /** Empty if there are diagnostics. */
  readonly tests: readonly TestCase[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads and checks a file of tests. Never throws because of its content. */
export async function readTestFile(path: string, name: string, validators: Validators): Promise<TestFile> {
  const problems: Problem[] = [];
  const tests = await testsIn({ path, name, lines: [] }, validators, (problem) => void problems.push(documented(problem)));
  const diagnostics = sortDiagnostics(withFrames(problems, []));
  return { name, tests: problems.length > 0 ? [] : tests, diagnostics };
}

/** The pages about the configuration do not describe these files. */
const documented = (problem: Problem): Problem => (problem.docs === undefined ? problem : { ...problem, docs: 'docs/testing.md' });

async function testsIn({ path, name, lines }: SourceFile, validators: Validators, report: ProblemReporter): Promise<readonly TestCase[]> {
  let text: string;
  try {
    text = readText(path, maxConfigFile);
  } catch (error) {
    const at = startOf({ path, name, lines });
    report({ code: 'unreadable-file', at, message: `the file cannot be read (${reasonOf(error)})` });
    return [];
  }
  const source = sourceFile(path, name, text);
  const { root, broken } = parse(source.file, source.text, report, () => undefined);
  if (broken) return [];
  if (root?.kind !== 'map') {
    report({
      code: 'yaml-syntax',
      at: root?.at ?? startOf(source.file),
      message: 'the file must be a mapping with the key "tests"',
      hint: 'begin with tests:',
    });
    return [];
  }
  if (!(await validateBy(testFileSchema, root, report, validators))) return [];
  const items = itemsOf(nodeAt(root, ['tests']));
  checkNames(items, report);
  return items.map((node) => caseOf(node, report));
}

const startOf = (file: SourceFile): SourceLocation => ({ file, line: 1, column: 1, endColumn: 2, endLine: 1 });

/** A name twice would make reports ambiguous. */
function checkNames(items: readonly Node[], report: ProblemReporter): void {
  const known = new Map<string, SourceLocation>();
  for (const item of items) {
    const node = nodeAt(item, ['name']);
    const name = textOf(node);
    if (node === undefined || name === undefined) continue;
    const first = known.get(name);
    if (first === undefined) known.set(name, node.at);
    else
      report({
        code: 'duplicate-key',
        at: node.at,
        message: 'two tests have the same name',
        hint: `the other one is in ${locationText(first)}`,
      });
  }
}
