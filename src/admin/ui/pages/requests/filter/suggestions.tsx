import type { Suggestion } from '../../../../../core/logs/reader.ts';
import { compact } from '../../../browser/format.ts';

interface SuggestionsProps {
  readonly id: string;
  readonly list: readonly Suggestion[];
  readonly active: number;
  readonly onAccept: (suggestion: Suggestion) => void;
}

/** Fields first, then values with the number of matching records of the last day. */
export function Suggestions({ id, list, active, onAccept }: SuggestionsProps) {
  return (
    <ul class="filter-drop suggestions" id={`${id}-list`} role="listbox" aria-label="Suggestions" hidden={list.length === 0}>
      {list.map((entry, i) => (
        <li
          key={entry.insert}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === active}
          // Prevent the field from losing the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onAccept(entry);
          }}
        >
          <code class="cut">{entry.insert}</code>
          <span class="muted small cut">{entry.about?.replaceAll('`', '')}</span>
          <span class="muted small num">{entry.count === null ? '' : compact(entry.count)}</span>
        </li>
      ))}
    </ul>
  );
}
