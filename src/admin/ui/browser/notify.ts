import { signal } from '@preact/signals';

export interface Notification {
  readonly id: number;
  readonly tone: 'ok' | 'bad';
  readonly text: string;
}

export const notifications = signal<readonly Notification[]>([]);

const shownFor = { ok: 4000, bad: 10_000 };
let last = 0;

/** A short word on what was just done; it disappears by itself, and screen readers hear it. */
export function notify(text: string, tone: 'ok' | 'bad' = 'ok'): void {
  const id = ++last;
  notifications.value = [...notifications.value.slice(-3), { id, tone, text }];
  setTimeout(() => dismiss(id), shownFor[tone]);
}

export function dismiss(id: number): void {
  notifications.value = notifications.value.filter((entry) => entry.id !== id);
}

/** Characters of a text that a notification shows at most, for a selection. */
const mostTold = 1500;

/** `what` names it in the notification. Outside of a secure origin the browser has no clipboard for us: a selection helps. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied`);
  } catch {
    const before = document.activeElement;
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'hidden-text';
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    // The only way on plain http; no browser has removed it.
    const done = document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    const told = text.length > mostTold ? '' : ` ${text}`;
    notify(done ? `${what} copied` : `The browser does not let the page copy.${told}`, done ? 'ok' : 'bad');
  }
}
