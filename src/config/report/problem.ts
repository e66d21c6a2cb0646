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
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(note === undefined ? {} : { note }),
    ...(docs === undefined ? {} : { docs }),
  };
}

/** `file:line`, for hints that refer to a second location. */
export const locationText = (at: SourceLocation): string => `${at.file.name}:${at.line}`;
