import { get } from '../../../browser/api.ts';
import { useLoad } from '../../../browser/load.ts';
import { Button } from '../../../components/button.tsx';
import { Check } from '../../../components/form.tsx';
import { Popover } from '../../../components/popover.tsx';
import { chosenColumns, columnOf, fixedColumns, resetColumns, hideableColumnNames } from './columns.tsx';

interface Names {
  readonly meta: readonly string[];
  readonly label: readonly string[];
}

export function ColumnsMenu({ open, onOpen }: { open: boolean; onOpen: (open: boolean) => void }) {
  return (
    <Popover
      open={open}
      onClose={() => onOpen(false)}
      label="Columns"
      button={
        <Button icon="columns" label="Columns" shortcut="c" expanded={open} onClick={() => onOpen(!open)}>
          <span class="wide-only">Columns</span>
        </Button>
      }
    >
      <Choices />
    </Popover>
  );
}

/** Inserts before a last column without a width, because a column after it would be outside of the visible area. */
function withColumn(chosen: readonly string[], id: string): readonly string[] {
  const last = chosen.at(-1);
  return last !== undefined && columnOf(last)?.width === undefined ? chosen.toSpliced(-1, 0, id) : [...chosen, id];
}

/** Selected columns first, in order, then the others. */
function Choices() {
  const names = useLoad((signal) => get<Names>('/api/names', {}, signal), []);
  const chosen = chosenColumns.value;
  const more = [...(names.data?.meta ?? []).map((key) => `meta.${key}`), ...(names.data?.label ?? []).map((key) => `label.${key}`)];
  const rest = [...fixedColumns.map(({ id }) => id), ...more].filter((id) => !chosen.includes(id));
  const hiddenNames = hideableColumnNames();
  const move = (id: string, by: number): void => {
    const at = chosen.indexOf(id);
    const next = chosen.toSpliced(at, 1);
    chosenColumns.value = next.toSpliced(Math.max(0, at + by), 0, id);
  };
  return (
    <div class="stack tight">
      <ul class="column-list">
        {chosen.map((id, i) => (
          <li key={id} class="row apart">
            <Check
              label={columnOf(id)?.name ?? id}
              checked
              onChange={() => (chosenColumns.value = chosen.filter((other) => other !== id))}
            />
            <span class="row">
              <Button
                small
                kind="quiet"
                icon="up"
                label={`Move ${columnOf(id)?.name ?? id} left`}
                disabled={i === 0}
                onClick={() => move(id, -1)}
              />
              <Button
                small
                kind="quiet"
                icon="down"
                label={`Move ${columnOf(id)?.name ?? id} right`}
                disabled={i === chosen.length - 1}
                onClick={() => move(id, 1)}
              />
            </span>
          </li>
        ))}
      </ul>
      {hiddenNames.length > 0 && <p class="small muted">A narrow window hides {hiddenNames.join(', ')}.</p>}
      <h3>More</h3>
      <ul class="column-list">
        {rest.map((id) => (
          <li key={id}>
            <Check label={columnOf(id)?.name ?? id} checked={false} onChange={() => (chosenColumns.value = withColumn(chosen, id))} />
          </li>
        ))}
      </ul>
      <Button small onClick={resetColumns}>
        Reset columns
      </Button>
    </div>
  );
}
