import { type Diagnostic, type DiagnosticCode, diagnosticCodes, type Severity } from './diagnostic.ts';
import type { SourceLocation } from '../read/node.ts';

/** A problem found while the configuration is read: a diagnostic with its file. */
export interface Problem {
  readonly code: DiagnosticCode;
  readonly at: SourceLocation;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly note?: string | undefined;
  readonly docs?: string | undefined;
  readonly severity?: Severity | undefined;
  /** `none`: no line of the file may be shown. `above`: the line before is shown too. */
  readonly show?: 'none' | 'above' | undefined;
}

/** Receives problems as they are found. */
export type ProblemReporter = (problem: Problem) => void;

/** Most characters of a text; more than any that does not quote a whole value or name of the file. */
const maxTextLength = 2000;

/** A text without the middle of a long value that it quotes: its end often says what is wrong. */
const withoutMiddle = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength - 500)}…${text.slice(-500)}` : text;

/** The diagnostic without its frame. */
export function toDiagnostic(problem: Problem): Diagnostic {
  const { code, at, message, hint, note, docs } = problem;
  return {
    code,
    severity: problem.severity ?? diagnosticCodes[code].severity,
    file: at.file.name,
    line: at.line,
    column: at.column,
    endColumn: Math.max(at.endColumn, at.column + 1),
    message: withoutMiddle(message),
    ...(hint === undefined ? {} : { hint: withoutMiddle(hint) }),
    ...(note === undefined ? {} : { note: withoutMiddle(note) }),
    ...(docs === undefined ? {} : { docs }),
  };
}

/** `file:line`, for hints that refer to a second location. */
export const locationText = (at: SourceLocation): string => `${at.file.name}:${at.line}`;
