import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly isNumber?: boolean;
}

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** For keyboard users, the first cell should contain a link or button with the same effect. */
  readonly onRow?: ((row: T) => void) | undefined;
  readonly isSelected?: ((row: T) => boolean) | undefined;
  /** Shown if there are no rows. */
  readonly empty?: ComponentChildren;
}

/** A table of up to some hundred rows. If it is too wide for its box, rows become cards. */
export function Table<T>({ caption, columns, rows, rowKey, onRow, isSelected, empty }: TableProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const isCards = useCards(box);
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  return (
    <div class="table-box" ref={box} tabIndex={0} role="group" aria-label={caption}>
      <table class={isCards ? 'table cards' : 'table'} role="table">
        <caption class="hidden-text">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" role="columnheader" class={isNumber === true ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              role="row"
              class={onRow === undefined ? undefined : 'clickable'}
              aria-selected={isSelected?.(row) === true ? true : undefined}
              onClick={onRow === undefined ? undefined : () => onRow(row)}
            >
              {columns.map(({ name, cell, isNumber }) => (
                <td key={name} role="cell" data-label={name} class={isNumber === true ? 'num' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** True while a table is wider than its box. */
function useCards(box: { readonly current: HTMLDivElement | null }): boolean {
  const [isCards, setCards] = useState(false);
  /** Width in pixels that the table needed when it last did not fit. */
  const needed = useRef(0);
  const measure = (): void => {
    const element = box.current;
    if (element === null) return;
    if (element.querySelector('.cards') !== null) {
      if (element.clientWidth >= needed.current) setCards(false);
    } else if (element.scrollWidth > element.clientWidth) {
      needed.current = element.scrollWidth;
      setCards(true);
    }
  };
  // Measured before the first paint, because a later change to cards would shift the content below.
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box.current]);
  return isCards;
}
