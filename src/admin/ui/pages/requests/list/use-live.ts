import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchPage } from '../../../../../core/logs/reader.ts';
import type { LogRow } from '../../../../../core/logs/row.ts';
import { addressOf, get, rejectionOf } from '../../../browser/api.ts';
import { type Rows, storageDelayMs } from './use-rows.ts';

/** Minimum milliseconds between two updates: at most four per second. */
const updateIntervalMs = 250;
/** Maximum number of waiting rows in memory; further ones are only counted. */
const maxWaitingRows = 500;
/** Milliseconds that few requests exceed. */
const longRequestMs = 600_000;
/** Milliseconds after which a rejected live tail is retried. */
const retryDelayMs = 5000;
/** Milliseconds without data after which a connection counts as lost. The gateway sends something every 15 s. */
const silenceTimeoutMs = 40_000;
const silenceCheckMs = 10_000;

export interface Live {
  /** New rows that are not in the list yet. */
  readonly waiting: number;
  /** Number of rows that the gateway omitted, because there were too many per second. */
  readonly skipped: number;
  /** True if rows may be missing after an interruption. */
  readonly hasGap: boolean;
  /** True if the connection is lost and no rows arrive. */
  readonly state: 'off' | 'connecting' | 'on' | 'lost';
  /** Why the gateway sends no rows, while the connection is lost; undefined if it is only interrupted. */
  readonly reason: string | undefined;
  readonly show: () => void;
  /** Adds new rows that were found without an event. */
  readonly addRows: (rows: readonly LogRow[]) => void;
  /** Loads the list again, so that no rows wait or are missing. */
  readonly loadAll: () => void;
}

interface Connection {
  readonly state: Live['state'];
  readonly reason?: string | undefined;
}

/** Receiver of rows. */
type LiveList = Pick<Rows, 'rows' | 'next' | 'prepend' | 'reload'>;

interface RowBuffer {
  rows: LogRow[];
  waiting: number;
  skipped: number;
  hasGap: boolean;
}

const empty = (): RowBuffer => ({ rows: [], waiting: 0, skipped: 0, hasGap: false });

/** The position in the rows of a filter: the id of the last event. */
interface TailPosition {
  readonly query: string;
  last: string | undefined;
}

/**
 * Receives rows of new requests as they end. They are added to the list while `flows` is true, and wait otherwise. After an
 * interruption or a pause it continues after the last event. If rows may be missing by then, the list is loaded again while
 * `flows`; otherwise the missed rows are looked up.
 */
export function useLive(query: string, isOn: boolean, flows: boolean, list: LiveList): Live {
  const [seen, setSeen] = useState({ waiting: 0, skipped: 0, hasGap: false });
  const [{ state, reason }, setState] = useState<Connection>({ state: 'off' });
  const buffer = useRef(empty());
  const position = useRef<TailPosition>({ query, last: undefined });
  const now = useRef({ list, flows });
  now.current = { list, flows };

  const flush = (): void => {
    const { rows } = buffer.current;
    if (rows.length > 0) now.current.list.prepend(rows.toSorted((a, b) => b.at - a.at));
    buffer.current.rows = [];
    buffer.current.waiting = 0;
  };
  const clearBuffer = (): void => {
    buffer.current = empty();
    setSeen({ waiting: 0, skipped: 0, hasGap: false });
  };

  const loadAll = (): void => {
    clearBuffer();
    now.current.list.reload();
  };

  useEffect(() => {
    if (!isOn) {
      setState({ state: 'off' });
      return undefined;
    }
    if (position.current.query !== query) {
      position.current = { query, last: undefined };
      clearBuffer();
    }
    const own = position.current;
    const onGap = async (): Promise<void> => {
      const lastEnd = now.current.list.rows.reduce((latest, { at, latency }) => Math.max(latest, at + latency), 0);
      // The newest of the missed rows may not be stored yet.
      if (!now.current.flows) await new Promise((resolve) => setTimeout(resolve, storageDelayMs));
      const missed = now.current.flows ? undefined : await findMissedRows(query, lastEnd, () => now.current.list);
      if (position.current !== own) return;
      if (missed === undefined) buffer.current.hasGap = true;
      else for (const row of missed) bufferRow(buffer.current, row);
    };
    const end = subscribe(own, buffer, setState, () => void onGap());
    const timer = setInterval(() => {
      if (now.current.flows && buffer.current.hasGap) loadAll();
      if (now.current.flows) flush();
      const { waiting, skipped, hasGap } = buffer.current;
      setSeen((before) =>
        before.waiting === waiting && before.skipped === skipped && before.hasGap === hasGap ? before : { waiting, skipped, hasGap },
      );
    }, updateIntervalMs);
    return () => {
      end();
      clearInterval(timer);
    };
  }, [query, isOn]);

  const addRows = (rows: readonly LogRow[]): void => {
    if (now.current.flows) now.current.list.prepend(rows);
    else for (const row of rows) bufferRow(buffer.current, row);
  };
  return { ...seen, state, reason, show: flush, addRows, loadAll };
}

/**
 * Receives events until the returned function is called. The browser reconnects after an interruption, but not after an error
 * response. A hidden tab keeps no connection, because browsers limit the number of connections to one host.
 */
function subscribe(
  position: TailPosition,
  buffer: { readonly current: RowBuffer },
  onState: (state: Connection) => void,
  onGap: () => void,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let reason: string | undefined;
  let receivedAt = Date.now();
  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = (): void => {
    close();
    if (isOver || document.visibilityState === 'hidden') return;
    receivedAt = Date.now();
    const address = addressOf('/api/live', { q: position.query, last: position.last });
    const own = new EventSource(address);
    source = own;
    const listen = (name: string, take: (data: string) => void): void =>
      own.addEventListener(name, (event: MessageEvent<string>) => {
        position.last = event.lastEventId;
        receivedAt = Date.now();
        take(event.data);
      });
    own.addEventListener('open', () => onState({ state: 'on', reason: (reason = undefined) }));
    own.addEventListener('error', () => {
      onState({ state: 'lost', reason });
      if (own.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, retryDelayMs);
      // A call that is rejected also ends the session of the page.
      void reasonOf(address).then((found) => {
        if (own === source) onState({ state: 'lost', reason: (reason = found) });
      });
    });
    for (const name of ['ready', 'beat']) listen(name, () => undefined);
    // Trusted data of the gateway, one row per event.
    listen('message', (data) => bufferRow(buffer.current, JSON.parse(data) as LogRow));
    listen('skipped', (data) => {
      buffer.current.skipped += (JSON.parse(data) as { count: number }).count;
    });
    listen('gap', onGap);
  };
  onState({ state: 'connecting' });
  open();
  document.addEventListener('visibilitychange', open);
  // After the machine slept, or after a network lost its state, a dead connection looks open.
  const listening = setInterval(() => {
    if (Date.now() - receivedAt <= silenceTimeoutMs) return;
    onState({ state: 'lost' });
    open();
  }, silenceCheckMs);
  return () => {
    isOver = true;
    clearInterval(listening);
    document.removeEventListener('visibilitychange', open);
    close();
  };
}

/** Why the gateway rejects the connection; undefined for a fault that the list reports too, and that may be over soon. */
async function reasonOf(address: string): Promise<string | undefined> {
  const error = await rejectionOf(address);
  if (error === undefined || error.status < 400 || error.status >= 500) return undefined;
  return error.hint === null ? error.message : `${error.message} ${error.hint}`;
}

/**
 * Finds rows that are missing in the list. Undefined if a request that began before the newest rows may have ended since
 * `lastEnd`, the end of the last request that was known before the interruption.
 */
async function findMissedRows(query: string, lastEnd: number, currentList: () => LiveList): Promise<readonly LogRow[] | undefined> {
  const page = await get<SearchPage>('/api/requests', { q: query, limit: maxWaitingRows }).catch(() => undefined);
  if (page === undefined) return undefined;
  const first = page.rows.at(-1)?.at ?? 0;
  if (page.next !== null && first > lastEnd - longRequestMs) return undefined;
  const list = currentList();
  const ids = new Set(list.rows.map(({ id }) => id));
  // Older rows are loaded when the user scrolls to the end of the list.
  const oldest = list.next === null ? 0 : (list.rows.at(-1)?.at ?? 0);
  return page.rows.filter(({ id, at }) => at >= oldest && !ids.has(id)).toReversed();
}

/** Counts a row only once if it arrives twice. */
function bufferRow(buffer: RowBuffer, row: LogRow): void {
  if (buffer.rows.some(({ id }) => id === row.id)) return;
  buffer.waiting += 1;
  if (buffer.rows.length >= maxWaitingRows) {
    buffer.rows.shift();
    buffer.hasGap = true;
  }
  buffer.rows.push(row);
}
