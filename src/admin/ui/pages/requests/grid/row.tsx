import type { LogRow } from '../../../../../core/logs/row.ts';
import type { GridColumn } from './columns.tsx';

interface RowProps {
  readonly row: LogRow;
  readonly index: number;
  readonly columns: readonly GridColumn[];
  readonly isSelected: boolean;
  readonly isCard: boolean;
  readonly longest: number;
  readonly onOpen: (row: LogRow) => void;
}

export function Row({ row, index, columns, isSelected, isCard, longest, onOpen }: RowProps) {
  return (
    <tr
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      class={row.status >= 500 || row.end === 'fault' ? 'failed' : undefined}
      onClick={(event) => {
        // Ignore clicks on links with a modifier key, and clicks that end a text selection.
        if (event.ctrlKey || event.metaKey || event.shiftKey || getSelection()?.toString() !== '') return;
        event.preventDefault();
        onOpen(row);
      }}
    >
      {columns.map(({ id, name, isNumber, cell }) => (
        <td key={id} role="cell" data-label={isCard ? name : undefined} class={isNumber === true ? `num c-${id}` : `c-${id}`}>
          {cell(row, { longest })}
        </td>
      ))}
    </tr>
  );
}
