import { printable } from '../../core/text/printable.ts';
import type { FileResult, TestRunResult } from './report.ts';

/** The results in the format of JUnit, which build systems read: a suite for each file. */
export function junitText(run: TestRunResult): string {
  const suites = [...Map.groupBy(run.results, ({ file }) => file)].map(([file, results]) => suite(file, results));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${counts(run.results, run.ms)}>\n${suites.join('')}</testsuites>\n`;
}

const suite = (file: string, results: readonly FileResult[]): string =>
  `  <testsuite name="${xml(file)}"${counts(results, sum(results))}>\n${results.map(testCase).join('')}  </testsuite>\n`;

function testCase({ file, name, at, failures, ms }: FileResult): string {
  const attributes = `name="${xml(name)}" classname="${xml(file)}" file="${xml(file)}" line="${at.line}" time="${seconds(ms)}"`;
  const lines = failures.map(
    (one) => `${one.at.file.name}:${one.at.line}:${one.at.column} ${one.what}: expected ${one.expected}, got ${one.got}`,
  );
  if (lines.length === 0) return `    <testcase ${attributes}/>\n`;
  const [first] = failures;
  const message = `${first?.what ?? ''} is not as expected`;
  return `    <testcase ${attributes}>\n      <failure message="${xml(message)}">${lines.map(xml).join('\n')}</failure>\n    </testcase>\n`;
}

const counts = (results: readonly FileResult[], ms: number): string =>
  ` tests="${results.length}" failures="${results.filter(({ failures }) => failures.length > 0).length}" errors="0" time="${seconds(ms)}"`;

const sum = (results: readonly FileResult[]): number => results.reduce((all, { ms }) => all + ms, 0);
const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** XML allows no control characters, not even escaped. */
const xml = (text: string): string => printable(text).replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark);
