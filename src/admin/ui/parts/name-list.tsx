import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface NameListProps {
  readonly label: string;
  readonly names: readonly { readonly name: string; readonly note: string }[];
  readonly current: string | undefined;
  readonly hrefOf: (name: string) => string;
}

/** Number of names from which a search field is shown. */
const many = 12;

/** List of all names, next to the selected one; above it on small screens. Nothing if there are none. */
export function NameList({ label, names, current, hrefOf }: NameListProps) {
  const box = useRef<HTMLElement>(null);
  const [find, setFind] = useState('');
  const isLong = names.length >= many;
  const found = isLong ? names.filter(({ name }) => name.toLowerCase().includes(find.trim().toLowerCase())) : names;
  // The selected name may be far down in the list.
  useLayoutEffect(() => {
    const list = box.current;
    const link = list?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (!list || link === undefined) return;
    const { top, bottom } = list.getBoundingClientRect();
    if (link.top < top || link.bottom > bottom) list.scrollTop += link.top - top - list.clientHeight / 2;
  }, [current]);
  if (names.length === 0) return null;
  return (
    <nav class="panel name-list" aria-label={label} ref={box}>
      {isLong && (
        <input
          class="input"
          type="search"
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder={`Search ${names.length} ${label.toLowerCase()}`}
          value={find}
          onInput={(event) => setFind(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
        />
      )}
      {found.length === 0 && <p class="muted small">No name matches.</p>}
      <ul>
        {found.map(({ name, note }) => (
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
