import { styleText } from 'node:util';
import { type Diagnostic, errorsFirst, isError } from '../config/report/diagnostic.ts';
import { printable } from '../core/text/printable.ts';
import { plural } from '../core/text/wording.ts';
import { textWidth } from './text.ts';

/** Most problems shown. The others are only counted. */
const maxShown = 50;

/** Column of the code after the message, counted from 0. */
const codeColumn = 72;

export interface DiagnosticStyle {
  readonly colors: boolean;
}

/** Format for people: each problem with its line, a caret and a hint. Without a final line feed. */
export function prettyDiagnostics(diagnostics: readonly Diagnostic[], style: DiagnosticStyle): string {
  const { shown, rest } = cut(diagnostics);
  return [...shown.map((one) => pretty(one, style)), ...rest].join('\n\n');
}

/** Format for editors: `file:line:col: level: message [code]`. */
export function shortDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const { shown, rest } = cut(diagnostics);
  return [...shown.map(shortDiagnostic), ...rest].join('\n');
}

/** One problem on one line. */
export function shortDiagnostic({ file, line, column, severity, message, code }: Diagnostic): string {
  return `${printable(file)}:${line}:${column}: ${severity}: ${printable(message)} [${code}]`;
}

/** Format for programs, the same from all commands. @param revision of a valid configuration */
export function diagnosticsReport(diagnostics: readonly Diagnostic[], files: readonly string[], revision?: string): object {
  const count = (severity: Diagnostic['severity']): number => diagnostics.filter((one) => one.severity === severity).length;
  const errors = count('error');
  const isValid = errors === 0;
  return { ok: isValid, errors, warnings: count('warning'), files, revision: isValid ? (revision ?? null) : null, diagnostics };
}

/** Format for GitHub Actions: workflow commands that become annotations. */
export function githubDiagnostics(diagnostics: readonly Diagnostic[]): string {
  return cut(diagnostics).shown.map(github).join('\n');
}

function github({ severity, file, line, column, endColumn, code, message, hint }: Diagnostic): string {
  const properties = `file=${property(file)},line=${line},endLine=${line},col=${column},endColumn=${endColumn},title=${property(code)}`;
  return `::${severity} ${properties}::${data(hint === undefined ? message : `${message}: ${hint}`)}`;
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** The problems to show, by position, and a line about the rest. Of more problems than are shown, the errors come first. */
function cut(diagnostics: readonly Diagnostic[]): { readonly shown: readonly Diagnostic[]; readonly rest: readonly string[] } {
  if (diagnostics.length <= maxShown) return { shown: diagnostics, rest: [] };
  const sorted = errorsFirst(diagnostics);
  return { shown: sorted.slice(0, maxShown), rest: [`… and ${countDiagnostics(sorted.slice(maxShown))} more`] };
}

function pretty(one: Diagnostic, style: DiagnosticStyle): string {
  const last = one.frame === undefined ? 0 : one.frame.first + one.frame.lines.length - 1;
  const width = Math.max(2, String(last).length);
  const bar = `${' '.repeat(width)} |`;
  const lines = [heading(one, style)];
  const arrow = `${' '.repeat(width)}--> ${printable(one.file)}:${one.line}:${one.column}`;
  if (one.frame === undefined) {
    lines.push(one.hint === undefined ? arrow : `${arrow}   ${printable(one.hint)}`);
  } else {
    lines.push(
      arrow,
      bar,
      ...one.frame.lines.map((text, i) =>
        `${String(last - (one.frame?.lines.length ?? 0) + 1 + i).padStart(width)} | ${printable(text)}`.trimEnd(),
      ),
    );
    const line = one.frame.lines.at(-1) ?? '';
    lines.push(`${bar} ${' '.repeat(textWidth(printable(line.slice(0, one.column - 1))))}${caret(one, line, style)}`);
  }
  if (one.note !== undefined) {
    if (one.frame !== undefined) lines.push(bar);
    lines.push(`${' '.repeat(width)} = ${printable(one.note)}${one.docs === undefined ? '' : ` (${one.docs})`}`);
  }
  return lines.join('\n');
}

function heading({ severity, message, code }: Diagnostic, style: DiagnosticStyle): string {
  const text = `${severity}: ${printable(message)}`;
  const gap = ' '.repeat(Math.max(2, codeColumn - text.length));
  return `${paint(severity, severity, style)}${text.slice(severity.length)}${gap}[${code}]`;
}

/** Marks the problem below its first line, with at least one character. */
function caret({ severity, column, endColumn, hint }: Diagnostic, line: string, style: DiagnosticStyle): string {
  const marked = printable(line.slice(column - 1, endColumn - 1));
  const marks = paint('^'.repeat(Math.max(1, textWidth(marked))), severity, style);
  return hint === undefined ? marks : `${marks} ${printable(hint)}`;
}

function paint(text: string, severity: Diagnostic['severity'], { colors }: DiagnosticStyle): string {
  return colors ? styleText(severity === 'error' ? ['bold', 'red'] : ['bold', 'yellow'], text, { validateStream: false }) : text;
}

/** For example `4 errors, 1 warning`; zero counts are omitted. */
export function countDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError).length;
  const warnings = diagnostics.length - errors;
  return [...(errors > 0 ? [plural(errors, 'error')] : []), ...(warnings > 0 ? [plural(warnings, 'warning')] : [])].join(', ');
}
