import { styleText } from 'node:util';
import { printable } from '../../core/text/printable.ts';
import { padEnd, textWidth } from '../text.ts';
import { failedOf, type FileResult, type TestRunResult } from './report.ts';

const indent = ' '.repeat('PASS '.length);

/** Widest column of file names. */
const maxColumnWidth = 40;

/** Width of the column with the names of the files. */
export const columnOf = (files: readonly string[]): number =>
  Math.min(maxColumnWidth, Math.max(0, ...files.map((name) => textWidth(printable(name)))));

/** One line for a test, and two for each of its failures. */
export function resultText({ file, name, failures, ms }: FileResult, column: number, colors: boolean): string {
  const isPassed = failures.length === 0;
  const label = isPassed ? 'PASS' : 'FAIL';
  const shown = colors ? styleText(isPassed ? 'green' : ['bold', 'red'], label, { validateStream: false }) : label;
  const head = `${shown} ${padEnd(printable(file), column)}  ${printable(name)}${isPassed ? ` (${Math.round(ms)} ms)` : ''}\n`;
  const width = Math.max(0, ...failures.map(({ what }) => `expected ${what}`.length));
  const lines = failures.map(({ what, expected, got, at }) => {
    const label = (text: string): string => `${indent}${padEnd(printable(text), width)}  `;
    return `${label(`expected ${what}`)}${printable(expected)}\n${label('got')}${printable(got)}   ${printable(at.file.name)}:${at.line}:${at.column}\n`;
  });
  return head + lines.join('');
}

/** For example `1 passed, 1 failed (19 ms)`. */
export function summaryText(run: TestRunResult): string {
  const failed = failedOf(run).length;
  const passed = run.results.length - failed;
  return `${passed} passed${failed === 0 ? '' : `, ${failed} failed`} (${Math.round(run.ms)} ms)\n`;
}
