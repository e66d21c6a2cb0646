import { useEffect, useRef, useState } from 'preact/hooks';
import type { LogRow } from '../../../../../core/logs/row.ts';
import { addressOf, get } from '../../../browser/api.ts';
import type { Rows } from './use-rows.ts';

/** Drawn at most four times a second. */
const drawEvery = 250;
/** Waiting rows that are kept; more are counted. */
const mostWaiting = 500;
/** Milliseconds after which a live tail that was rejected is tried again. */
const againAfter = 5000;
/** Milliseconds without a word after which a connection is lost, whatever the browser knows: the gateway says something every 15 s. */
const silentFor = 40_000;
const listenEvery = 10_000;

export interface Live {
  /** Rows that wait behind the pill. */
  readonly waiting: number;
  /** Left out by the gateway, because there were too many in a second. */
  readonly skipped: number;
  /** Rows are missing after a break that was too long. */
  readonly hasGap: boolean;
  /** Lost: no rows come until the gateway can be reached again. */
  readonly state: 'off' | 'connecting' | 'on' | 'lost';
  readonly show: () => void;
  /** Rows that are new, although no event told of them. */
  readonly offer: (rows: readonly LogRow[]) => void;
  /** Loads the list anew: nothing waits and nothing is missing. */
  readonly loadAll: () => void;
}

/** Where rows go. */
type LiveList = Pick<Rows, 'prepend' | 'again'>;

interface Buffer {
  rows: LogRow[];
  waiting: number;
  skipped: number;
  hasGap: boolean;
}

const empty = (): Buffer => ({ rows: [], waiting: 0, skipped: 0, hasGap: false });

/** How far the rows of a filter were followed: the id of the last event. */
interface Place {
  readonly query: string;
  last: string | undefined;
}

/**
 * New rows as they end. They flow into the list while `flows`, and wait otherwise. After a break, and after a pause, it goes on behind
 * the last event that it saw; where rows are missing by then, the list is loaded anew while it flows.
 */
export function useLive(query: string, isOn: boolean, flows: boolean, list: LiveList): Live {
  const [seen, setSeen] = useState({ waiting: 0, skipped: 0, hasGap: false });
  const [state, setState] = useState<Live['state']>('off');
  const buffer = useRef(empty());
  const place = useRef<Place>({ query, last: undefined });
  const now = useRef({ list, flows });
  now.current = { list, flows };

  const flush = (): void => {
    const { rows } = buffer.current;
    if (rows.length > 0) now.current.list.prepend(rows.toSorted((a, b) => b.at - a.at));
    buffer.current.rows = [];
    buffer.current.waiting = 0;
  };
  const forget = (): void => {
    buffer.current = empty();
    setSeen({ waiting: 0, skipped: 0, hasGap: false });
  };

  const loadAll = (): void => {
    forget();
    now.current.list.again();
  };

  useEffect(() => {
    if (!isOn) {
      setState('off');
      return undefined;
    }
    if (place.current.query !== query) {
      place.current = { query, last: undefined };
      forget();
    }
    const end = follow(place.current, buffer, setState);
    const timer = setInterval(() => {
      if (now.current.flows && buffer.current.hasGap) loadAll();
      if (now.current.flows) flush();
      const { waiting, skipped, hasGap } = buffer.current;
      setSeen((before) =>
        before.waiting === waiting && before.skipped === skipped && before.hasGap === hasGap ? before : { waiting, skipped, hasGap },
      );
    }, drawEvery);
    return () => {
      end();
      clearInterval(timer);
    };
  }, [query, isOn]);

  const offer = (rows: readonly LogRow[]): void => {
    if (now.current.flows) now.current.list.prepend(rows);
    else for (const row of rows) take(buffer.current, row);
  };
  return { ...seen, state, show: flush, offer, loadAll };
}

/**
 * Follows until the returned function is called. The browser connects again by itself after a break, but not after a response with an
 * error. A tab that nobody sees has no connection: browsers open few to one gateway.
 */
function follow(place: Place, buffer: { readonly current: Buffer }, onState: (state: Live['state']) => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let heardAt = Date.now();
  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = (): void => {
    close();
    if (isOver || document.visibilityState === 'hidden') return;
    heardAt = Date.now();
    const own = new EventSource(addressOf('/api/live', { q: place.query, last: place.last }));
    source = own;
    const listen = (name: string, take: (data: string) => void): void =>
      own.addEventListener(name, (event: MessageEvent<string>) => {
        place.last = event.lastEventId;
        heardAt = Date.now();
        take(event.data);
      });
    own.addEventListener('open', () => onState('on'));
    own.addEventListener('error', () => {
      onState('lost');
      if (own.readyState !== EventSource.CLOSED) return;
      // A call that says no ends the session of the page.
      timer = setTimeout(() => void get('/api/status').then(open, open), againAfter);
    });
    listen('ready', () => undefined);
    listen('beat', () => undefined);
    // From the gateway itself, one row an event.
    listen('message', (data) => take(buffer.current, JSON.parse(data) as LogRow));
    listen('skipped', (data) => {
      buffer.current.skipped += (JSON.parse(data) as { count: number }).count;
    });
    listen('gap', () => {
      buffer.current.hasGap = true;
    });
  };
  onState('connecting');
  open();
  document.addEventListener('visibilitychange', open);
  // After a sleep of the machine, or behind a network that forgot it, a connection looks open for ever.
  const listening = setInterval(() => {
    if (Date.now() - heardAt > silentFor) open();
  }, listenEvery);
  return () => {
    isOver = true;
    clearInterval(listening);
    document.removeEventListener('visibilitychange', open);
    close();
  };
}

/** Told twice, a row counts once. */
function take(buffer: Buffer, row: LogRow): void {
  if (buffer.rows.some(({ id }) => id === row.id)) return;
  buffer.waiting += 1;
  if (buffer.rows.length >= mostWaiting) {
    buffer.rows.shift();
    buffer.hasGap = true;
  }
  buffer.rows.push(row);
}
