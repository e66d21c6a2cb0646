import { useLayoutEffect, useRef } from 'preact/hooks';

interface NameListProps {
  readonly label: string;
  readonly names: readonly { readonly name: string; readonly note: string }[];
  readonly current: string | undefined;
  readonly hrefOf: (name: string) => string;
}

/** What there is, beside the one that is shown; above it on small screens. */
export function NameList({ label, names, current, hrefOf }: NameListProps) {
  const box = useRef<HTMLElement>(null);
  // An address may name one that is far below.
  useLayoutEffect(() => {
    const list = box.current;
    const link = list?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (!list || link === undefined) return;
    const { top, bottom } = list.getBoundingClientRect();
    if (link.top < top || link.bottom > bottom) list.scrollTop += link.top - top - list.clientHeight / 2;
  }, [current]);
  return (
    <nav class="panel name-list" aria-label={label} ref={box}>
      <ul>
        {names.map(({ name, note }) => (
          <li key={name}>
            <a href={hrefOf(name)} aria-current={name === current ? 'page' : undefined} title={name}>
              <span class="cut">{name}</span>
              <span class="small muted cut">{note}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
