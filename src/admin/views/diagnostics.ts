import type { Diagnostic } from '../../config/report/diagnostic.ts';
import type { Mask } from '../../core/secrets/mask.ts';
import type { ShownDiagnostic } from '../api-types.ts';

const maxDiagnostics = 50;

/** In the format of `gateway check --json`, secrets masked; at most 50. */
export function shownDiagnostics(diagnostics: readonly Diagnostic[], mask: Mask): readonly ShownDiagnostic[] {
  return diagnostics.slice(0, maxDiagnostics).map(({ severity, code, message, hint, file, line, column }) => ({
    level: severity,
    code,
    message: mask.text(message),
    hint: hint === undefined ? null : mask.text(hint),
    file,
    line,
    column,
  }));
}
