import { type Diagnostic, isError } from '../../config/report/diagnostic.ts';
import type { Mask } from '../../core/secrets/mask.ts';
import type { Diagnosed } from '../api-types.ts';

const maxDiagnostics = 50;

/** In the format of `gateway check --json`, secrets masked; at most 50 diagnostics, the errors first. */
export function diagnosed(all: readonly Diagnostic[], mask: Mask): Diagnosed {
  const errors = all.filter(isError);
  const warnings = all.filter((one) => !isError(one));
  const shown = [...errors, ...warnings].slice(0, maxDiagnostics).map(({ severity, code, message, hint, file, line, column }) => ({
    level: severity,
    code,
    message: mask.text(message),
    hint: hint === undefined ? null : mask.text(hint),
    file,
    line,
    column,
  }));
  return { diagnostics: shown, errors: errors.length, warnings: warnings.length };
}
