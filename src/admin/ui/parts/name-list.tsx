import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ListPage } from '../../api-types.ts';
import { count } from '../browser/format.ts';
import { parameters } from '../browser/route.ts';
import { Empty } from '../components/display.tsx';
import { Pager, useSearchText } from './pager.tsx';

interface NameListProps {
  readonly label: string;
  /** Those of one page. */
  readonly names: readonly { readonly name: string; readonly note: string }[];
  readonly page: ListPage;
  /** The search text with which they were found. Another one may be loading. */
  readonly find: string;
  readonly current: string | undefined;
  readonly hrefOf: (name: string) => string;
}

/** Number of names from which a search field is shown. */
const many = 12;

/** List of names, next to the selected one; above it on small screens. Nothing if there are none. */
export function NameList({ label, names, page, find, current, hrefOf }: NameListProps) {
  const { total, offset } = page;
  const box = useRef<HTMLElement>(null);
  const [text, setText] = useSearchText();
  const isSearched = find !== '' || text !== '';
  // The selected name may be far down in the list.
  useLayoutEffect(() => {
    const list = box.current;
    const link = list?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (!list || link === undefined) return;
    const { top, bottom } = list.getBoundingClientRect();
    if (link.top < top || link.bottom > bottom) list.scrollTop += link.top - top - list.clientHeight / 2;
  }, [current, find, offset]);
  if (total === 0 && !isSearched) return null;
  const query = parameters.value.size === 0 ? '' : `?${parameters.value}`;
  return (
    <nav class="panel name-list" aria-label={label} ref={box}>
      {(total >= many || isSearched) && (
        <input
          class="input"
          type="search"
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder={`Search ${count(total)} ${label.toLowerCase()}`}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
        />
      )}
      {total === 0 && <p class="muted small">No name matches.</p>}
      <ul>
        {names.map(({ name, note }) => (
          <li key={name}>
            <a href={hrefOf(name) + query} aria-current={name === current ? 'page' : undefined} title={name}>
              <span class="cut">{name}</span>
              <span class="small muted cut">{note}</span>
            </a>
          </li>
        ))}
      </ul>
      <Pager page={page} onMove={() => box.current?.scrollTo({ top: 0 })} />
    </nav>
  );
}

/** Shown in place of an entry that does not exist. @param name undefined if the list itself has none */
export function NoEntry({ what, name }: { what: string; name: string | undefined }) {
  if (name === undefined) return <Empty icon="search" title={`No ${what} matches`} />;
  return (
    <Empty icon="search" title={`There is no ${what} “${name}”`}>
      <p>It may have been removed from the files, or it is in a file that does not load.</p>
    </Empty>
  );
}
