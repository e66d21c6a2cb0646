import { useRef } from 'preact/hooks';
import { ApiError, get } from '../browser/api.ts';
import { type Loaded, useLoad } from '../browser/load.ts';
import { pageInAddress, pageSize } from './pager.tsx';

export interface ListAndEntry<Page, Entry> {
  readonly page: Page;
  /** The search text and the name in the address when it was loaded. */
  readonly find: string;
  readonly name: string | undefined;
  /** Undefined if there is no such entry. */
  readonly entry: Entry | undefined;
}

interface Source<Page> {
  /** Route of the list. The route of an entry ends with its name. */
  readonly path: string;
  /** Name of the first entry of a page. */
  readonly firstOf: (page: Page) => string | undefined;
  /** Milliseconds. */
  readonly every: number;
}

/** Loads a page of a list and the selected entry, which may be on another page; without a name, the first entry of the list. */
export function useListAndEntry<Page, Entry>(
  name: string | undefined,
  { path, firstOf, every }: Source<Page>,
): Loaded<ListAndEntry<Page, Entry>> {
  const { find, offset } = pageInAddress();
  // It stays selected while others are searched.
  const first = useRef<string>(undefined);
  return useLoad(
    async (signal) => {
      const entryOf = (one: string): Promise<Entry | undefined> => loadEntry(path, one, signal);
      // The page of the selected entry, until the user moves to another one or searches.
      const around = offset === undefined && find === '' ? name : undefined;
      const listed = get<Page>(path, { q: find, limit: pageSize, offset, around }, signal);
      if (name !== undefined) {
        const [page, entry] = await Promise.all([listed, entryOf(name)]);
        return { page, find, name, entry };
      }
      const page = await listed;
      if (first.current === undefined || (find === '' && (offset ?? 0) === 0)) first.current = firstOf(page);
      return { page, find, name, entry: first.current === undefined ? undefined : await entryOf(first.current) };
    },
    [name, find, offset],
    every,
  );
}

/** Returns undefined if there is no such entry. @param path route of its list @throws ApiError */
export async function loadEntry<Entry>(
  path: string,
  name: string,
  signal: AbortSignal,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<Entry | undefined> {
  try {
    return await get<Entry>(`${path}/${encodeURIComponent(name)}`, parameters, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
