import { printable } from '#core/printable.ts';

/**
 * Every kind of problem that a configuration can have. `severity` is the usual one. The docs page is made from it,
 * and each code has a case under `test/config/cases`.
 */
export const diagnosticCodes = {
  'yaml-syntax': { severity: 'error', about: 'The file is not readable as YAML.' },
  'duplicate-key': { severity: 'error', about: 'A key stands twice in one mapping, or a name in two files.' },
  'unknown-key': { severity: 'error', about: 'A key that is not in the schema.' },
  'wrong-type': { severity: 'error', about: 'A value of another type or form than the key takes.' },
  'out-of-range': { severity: 'error', about: 'A number, duration or size beyond its limits.' },
  'missing-key': { severity: 'error', about: 'A required key is absent.' },
  'bad-name': { severity: 'error', about: 'A name that cannot be used.' },
  'unknown-reference': { severity: 'error', about: 'A provider, config, prompt, virtual key, target or plugin that does not exist.' },
  cycle: { severity: 'error', about: 'Includes, configs or prompts that refer to each other.' },
  'unset-variable': { severity: 'error', about: 'An environment variable is not set.' },
  'unreadable-file': { severity: 'error', about: 'A file cannot be read.' },
  'bad-key-hash': { severity: 'error', about: 'The hash of an API key is not one.' },
  'bad-regex': { severity: 'error', about: 'A pattern cannot be used.' },
  'bad-url': { severity: 'error', about: 'A URL cannot be used.' },
  'bad-custom-host': { severity: 'error', about: 'A custom host has more or less than the provider needs.' },
  'bad-template': { severity: 'error', about: 'A template that is not written as mustache asks for.' },
  'bad-plugin': { severity: 'error', about: 'A plugin from outside cannot be loaded or has the wrong shape.' },
  conflict: { severity: 'error', about: 'Two keys that exclude each other.' },
  'not-supported': { severity: 'error', about: 'A known key that this version does not act on.' },
  'no-match': { severity: 'warning', about: 'An include pattern that no file fits; an error where its folder is for keys.' },
  'never-used': { severity: 'warning', about: 'Something that can never be reached.' },
  'plain-secret': { severity: 'warning', about: 'A literal where a secret belongs.' },
  deprecated: { severity: 'warning', about: 'An old name.' },
  exposed: { severity: 'warning', about: 'A listener is open to other hosts without a key.' },
} as const satisfies Record<string, { severity: Severity; about: string }>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
export type Severity = 'error' | 'warning';

/** One problem, with its place. Plain data: it crosses threads and is printed by renderers. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  /** As shown: relative to the working directory where the file is below it. */
  readonly file: string;
  /** Lines and columns count from 1; `endColumn` is behind the last character. */
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  /** What is wrong, without a full stop. Never a secret. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** More about the surroundings, for example the allowed keys. */
  readonly note?: string;
  /** Page and anchor of the documentation, for example `config#targets`. */
  readonly docs?: string;
  /** The lines to show, secrets masked; absent where nothing of the file may be shown. */
  readonly frame?: Frame;
}

export interface Frame {
  /** Number of the first line. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** `configs/support.yaml:9:9 error: unknown key "retrys" (did you mean "retry"?)`. */
export function briefDiagnostic({ file, line, column, severity, message, hint }: Diagnostic): string {
  return printable(`${file}:${line}:${column} ${severity}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
}

/** Sorted by file, line and column; equal ones once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const sorted = diagnostics.toSorted(
    (a, b) =>
      compareText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compareText(a.code, b.code) ||
      compareText(a.message, b.message),
  );
  return sorted.filter((one, i) => {
    const before = sorted[i - 1];
    return (
      before === undefined ||
      one.file !== before.file ||
      one.line !== before.line ||
      one.code !== before.code ||
      one.message !== before.message
    );
  });
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
