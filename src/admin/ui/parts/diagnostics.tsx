import type { ComponentChildren } from 'preact';
import type { ShownDiagnostic } from '../../api-types.ts';
import { Badge } from '../components/display.tsx';

interface DiagnosticsProps {
  readonly list: readonly ShownDiagnostic[];
  /** Makes the location a button. */
  readonly onLocation?: (entry: ShownDiagnostic) => void;
}

/** Problems of the configuration with their locations, as `gateway check` prints them. */
export function Diagnostics({ list, onLocation }: DiagnosticsProps) {
  return (
    <ul class="diagnostics">
      {list.map((entry, i) => (
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
export function summaryOf(list: readonly ShownDiagnostic[]): string {
  const errors = list.filter(({ level }) => level === 'error').length;
  const warnings = list.length - errors;
  const parts = [
    errors > 0 ? `${errors} ${errors === 1 ? 'error' : 'errors'}` : '',
    warnings > 0 ? `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ') || 'no problems';
}
