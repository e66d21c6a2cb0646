import { printable } from '../../core/text/printable.ts';

/**
 * Every kind of problem in a configuration, with its usual severity. The docs page is generated from it, and each code
 * has a case in `test/config/cases`.
 */
export const diagnosticCodes = {
  'yaml-syntax': { severity: 'error', about: 'The file is not valid YAML.' },
  'duplicate-key': { severity: 'error', about: 'Duplicate key in one mapping, or the same name in two files.' },
  'unknown-key': { severity: 'error', about: 'A key that is not in the schema.' },
  'wrong-type': { severity: 'error', about: 'The value has the wrong type or form.' },
  'out-of-range': { severity: 'error', about: 'A number, duration or size beyond its limits.' },
  'missing-key': { severity: 'error', about: 'A required key is missing.' },
  'bad-name': { severity: 'error', about: 'A name that cannot be used.' },
  'unknown-reference': { severity: 'error', about: 'A provider, config, prompt, virtual key, target or plugin that does not exist.' },
  cycle: { severity: 'error', about: 'Includes, configs or prompts that refer to each other.' },
  'unset-variable': { severity: 'error', about: 'An environment variable is not set.' },
  'unreadable-file': { severity: 'error', about: 'A file cannot be read.' },
  'bad-key-hash': { severity: 'error', about: 'The hash of an API key is not a valid SHA-256 hash.' },
  'bad-regex': { severity: 'error', about: 'A pattern cannot be used.' },
  'bad-url': { severity: 'error', about: 'A URL cannot be used.' },
  'bad-custom-host': {
    severity: 'error',
    about: 'A custom host contains something that the provider does not accept, or lacks something that it needs.',
  },
  'bad-template': { severity: 'error', about: 'A template is not valid mustache.' },
  'bad-plugin': { severity: 'error', about: 'A plugin from outside cannot be loaded or has the wrong shape.' },
  'unusable-path': { severity: 'error', about: 'A folder or a socket that the gateway cannot use.' },
  'setup-failed': { severity: 'error', about: 'The text is valid, and a plugin or another part cannot be set up with it.' },
  conflict: { severity: 'error', about: 'Two keys that exclude each other.' },
  'not-supported': { severity: 'error', about: 'A known key that this version ignores.' },
  'no-match': { severity: 'warning', about: 'An include pattern that matches no file; an error where its folder is for keys.' },
  'never-used': { severity: 'warning', about: 'Something that no request can reach.' },
  'plain-secret': { severity: 'warning', about: 'A secret is written in the file instead of a reference.' },
  deprecated: { severity: 'warning', about: 'A deprecated name.' },
  exposed: { severity: 'warning', about: 'Other hosts can use the gateway without an API key or token.' },
} as const satisfies Record<string, { severity: Severity; about: string }>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
export type Severity = 'error' | 'warning';

/** One problem with its location. Plain data, since it is sent between processes and printed by renderers. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  /** Display name: relative to the working directory if the file is below it. */
  readonly file: string;
  /** Lines and columns count from 1; `endColumn` is after the last character. */
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  /** What is wrong, without a full stop. Never contains a secret. */
  readonly message: string;
  /** How to fix it. */
  readonly hint?: string;
  /** More context, for example the allowed keys. */
  readonly note?: string;
  /** Page and anchor of the documentation, for example `docs/configuration.md#configs`. */
  readonly docs?: string;
  /** Source lines to show, with secrets masked; absent when no line may be shown. */
  readonly frame?: Frame;
}

export interface Frame {
  /** Number of the first line. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** False for a warning. */
export const isError = ({ severity }: Pick<Diagnostic, 'severity'>): boolean => severity === 'error';

/** One line: `configs/support.yaml:9:9 error: unknown key "retrys" (did you mean "retry"?)`. */
export function briefDiagnostic({ file, line, column, severity, message, hint }: Diagnostic): string {
  return printable(`${file}:${line}:${column} ${severity}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
}

/** The same for a list, errors first: a log line may be cut. */
export const briefDiagnostics = (diagnostics: readonly Diagnostic[]): string[] => errorsFirst(diagnostics).map(briefDiagnostic);

/** For lists that may be cut: warnings must not hide errors. */
export function errorsFirst(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics.filter(isError), ...diagnostics.filter((one) => !isError(one))];
}

/** Sorted by file, line and column, without duplicates. */
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
      one.column !== before.column ||
      one.code !== before.code ||
      one.message !== before.message
    );
  });
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
