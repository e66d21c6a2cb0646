import { useEffect, useState } from 'preact/hooks';
import type { ListPage } from '../../api-types.ts';
import { count } from '../browser/format.ts';
import { parameters, setParameters } from '../browser/route.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/form.tsx';

/** Few enough that the figures of a page are one query to the request log. */
export const pageSize = 50;
/** Number of entries from which a search field is shown. */
const many = 20;
const typingMs = 200;

/** The page of a long list that is in the address. `offset` is undefined if it has none. */
export function pageInAddress(): { readonly find: string; readonly offset: number | undefined } {
  const from = Number(parameters.value.get('from') ?? Number.NaN);
  return { find: parameters.value.get('find') ?? '', offset: Number.isSafeInteger(from) && from >= 0 ? from : undefined };
}

/** The text of a search field, which is in the address when typing has stopped, and a function that changes it. */
export function useSearchText(): readonly [text: string, setText: (text: string) => void] {
  const { find } = pageInAddress();
  const [text, setText] = useState(find);
  useEffect(() => {
    // Do not search for each letter.
    const timer = setTimeout(
      () => text !== pageInAddress().find && setParameters({ find: text, from: undefined }, { replace: true }),
      typingMs,
    );
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => setText(find), [find]);
  return [text, setText];
}

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly total: number;
  /** The search text of the list that is shown. Another one may be loading. */
  readonly find: string;
}

/** The search field above a long list. A short list has none. */
export function ListSearch({ label, placeholder, total, find }: SearchProps) {
  const [text, setText] = useSearchText();
  if (total <= many && find === '' && text === '') return null;
  return (
    <div class="search-row">
      <TextField label={label} value={text} onInput={setText} placeholder={placeholder} />
    </div>
  );
}

/** Which entries of a long list are shown, and buttons for the others. Nothing if all are shown. */
export function Pager({ page: { total, offset }, onMove }: { page: ListPage; onMove?: () => void }) {
  if (total <= pageSize && offset === 0) return null;
  const move = (to: number): void => {
    setParameters({ from: String(Math.max(0, to)) });
    onMove?.();
  };
  const last = Math.max(0, Math.ceil(total / pageSize) - 1) * pageSize;
  return (
    <nav class="row padded" aria-label="Parts of the list">
      <Button small disabled={offset === 0} onClick={() => move(Math.min(offset - pageSize, last))}>
        Previous
      </Button>
      <span class="muted small" role="status">
        {offset >= total ? 'No entries here' : `${count(offset + 1)}–${count(Math.min(total, offset + pageSize))}`} of {count(total)}
      </span>
      <Button small disabled={offset >= last} onClick={() => move(offset + pageSize)}>
        Next
      </Button>
    </nav>
  );
}
