import type { ComponentChildren } from 'preact';
import type { Diagnosed, ShownDiagnostic } from '../../api-types.ts';
import { count, plural } from '../browser/format.ts';
import { Badge } from '../components/display.tsx';

interface DiagnosticsProps {
  readonly found: Diagnosed;
  /** Makes the location a button. */
  readonly onLocation?: (entry: ShownDiagnostic) => void;
}

/** Problems of the configuration with their locations, as `gateway check` prints them. */
export function Diagnostics({ found, onLocation }: DiagnosticsProps) {
  const more = found.errors + found.warnings - found.diagnostics.length;
  return (
    <ul class="diagnostics">
      {found.diagnostics.map((entry, i) => (
        <li key={i}>
          <div class="row">
            <Badge tone={entry.level === 'error' ? 'bad' : 'warn'}>{entry.level}</Badge>
            <DiagnosticLocation entry={entry} onLocation={onLocation} />
            <code class="muted">{entry.code}</code>
          </div>
          <p class="break">{entry.message}</p>
          {entry.hint !== null && <p class="break muted">{entry.hint}</p>}
        </li>
      ))}
      {more > 0 && (
        <li>
          <p class="muted">
            … and {count(more)} more: <code>gateway check</code>
          </p>
        </li>
      )}
    </ul>
  );
}

function DiagnosticLocation({
  entry,
  onLocation,
}: {
  entry: ShownDiagnostic;
  onLocation: DiagnosticsProps['onLocation'];
}): ComponentChildren {
  const text = `${entry.file}:${entry.line}:${entry.column}`;
  return onLocation === undefined ? (
    <code class="break">{text}</code>
  ) : (
    <button type="button" class="location" onClick={() => onLocation(entry)}>
      {text}
    </button>
  );
}

/** `2 errors, 1 warning`. */
export function summaryOf({ errors, warnings }: Diagnosed): string {
  const parts = [errors > 0 ? plural(errors, 'error') : '', warnings > 0 ? plural(warnings, 'warning') : ''];
  return parts.filter((part) => part !== '').join(', ') || 'no problems';
}
