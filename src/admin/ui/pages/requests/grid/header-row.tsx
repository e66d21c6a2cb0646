import { columnWidths, type GridColumn } from './columns.tsx';

const minColumnWidth = 48;
const maxColumnWidth = 900;

const setWidth = (id: string, width: number): void => {
  columnWidths.value = { ...columnWidths.value, [id]: Math.round(Math.min(maxColumnWidth, Math.max(minColumnWidth, width))) };
};

export function HeaderRow({ columns }: { columns: readonly GridColumn[] }) {
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <th key={column.id} scope="col" role="columnheader" class={column.isNumber === true ? 'num' : undefined}>
            <span class="cut">{column.name}</span>
            <ResizeHandle column={column} />
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Dragging or arrow keys change the width; a double click resets it. */
function ResizeHandle({ column }: { column: GridColumn }) {
  const { id, name } = column;
  const start = (event: PointerEvent): void => {
    if (!(event.currentTarget instanceof HTMLElement)) return;
    const handle = event.currentTarget;
    const from = handle.parentElement?.getBoundingClientRect().width ?? 100;
    const x = event.clientX;
    const move = (moved: PointerEvent): void => setWidth(id, from + moved.clientX - x);
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true });
  };
  const width = column.width ?? 200;
  return (
    <span
      class="handle"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-valuenow={width}
      aria-valuemin={minColumnWidth}
      aria-valuemax={maxColumnWidth}
      tabIndex={0}
      onPointerDown={start}
      onDblClick={() => {
        const { [id]: _removed, ...rest } = columnWidths.value;
        columnWidths.value = rest;
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        setWidth(id, width + (event.key === 'ArrowRight' ? 16 : -16));
      }}
    />
  );
}
