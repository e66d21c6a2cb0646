import { useEffect, useRef, useState } from 'preact/hooks';
import type { LogRow } from '../../../../../core/logs/row.ts';
import { addressOf } from '../../../browser/api.ts';

/** Drawn at most four times a second. */
const drawEvery = 250;
/** Waiting rows that are kept; more are counted. */
const mostWaiting = 500;

export interface Live {
  /** Rows that wait behind the pill. */
  readonly waiting: number;
  /** Left out by the gateway, because there were too many in a second. */
  readonly skipped: number;
  /** Rows are missing after a break that was too long. */
  readonly hasGap: boolean;
  readonly state: 'off' | 'connecting' | 'on' | 'broken';
  readonly show: () => void;
  /** Rows that are new, although no event told of them. */
  readonly offer: (rows: readonly LogRow[]) => void;
  /** The list is loaded anew: nothing waits and nothing is missing. */
  readonly forget: () => void;
}

interface Buffer {
  rows: LogRow[];
  waiting: number;
  skipped: number;
  hasGap: boolean;
}

const empty = (): Buffer => ({ rows: [], waiting: 0, skipped: 0, hasGap: false });

/**
 * New rows as they end. They flow into the list while `flows`, and wait otherwise. The browser connects again by itself
 * after a break, and goes on behind the last event that it saw.
 */
export function useLive(query: string, isOn: boolean, flows: boolean, prepend: (rows: readonly LogRow[]) => void): Live {
  const [seen, setSeen] = useState({ waiting: 0, skipped: 0, hasGap: false });
  const [state, setState] = useState<Live['state']>('off');
  const buffer = useRef(empty());
  const add = useRef(prepend);
  add.current = prepend;
  const isFlowing = useRef(flows);
  isFlowing.current = flows;

  const flush = (): void => {
    const { rows } = buffer.current;
    if (rows.length > 0) add.current(rows.toSorted((a, b) => b.at - a.at));
    buffer.current.rows = [];
    buffer.current.waiting = 0;
  };

  useEffect(() => {
    if (!isOn) {
      setState('off');
      return undefined;
    }
    buffer.current = empty();
    setSeen({ waiting: 0, skipped: 0, hasGap: false });
    setState('connecting');
    const source = new EventSource(addressOf('/api/live', { q: query }));
    source.addEventListener('open', () => setState('on'));
    source.addEventListener('error', () => setState(source.readyState === EventSource.CLOSED ? 'broken' : 'connecting'));
    source.addEventListener('message', (event: MessageEvent<string>) =>
      // From the gateway itself, one row an event.
      take(buffer.current, JSON.parse(event.data) as LogRow),
    );
    source.addEventListener('skipped', (event: MessageEvent<string>) => {
      buffer.current.skipped += (JSON.parse(event.data) as { count: number }).count;
    });
    source.addEventListener('gap', () => {
      buffer.current.hasGap = true;
    });
    const timer = setInterval(() => {
      if (isFlowing.current) flush();
      const { waiting, skipped, hasGap } = buffer.current;
      setSeen((before) =>
        before.waiting === waiting && before.skipped === skipped && before.hasGap === hasGap ? before : { waiting, skipped, hasGap },
      );
    }, drawEvery);
    return () => {
      source.close();
      clearInterval(timer);
    };
  }, [query, isOn]);

  const forget = (): void => {
    buffer.current = empty();
    setSeen({ waiting: 0, skipped: 0, hasGap: false });
  };
  const offer = (rows: readonly LogRow[]): void => {
    if (isFlowing.current) add.current(rows);
    else for (const row of rows) take(buffer.current, row);
  };
  return { ...seen, state, show: flush, offer, forget };
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
