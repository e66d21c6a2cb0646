import { signal } from '@preact/signals';

export interface Notification {
  readonly id: number;
  readonly tone: 'ok' | 'bad';
  readonly text: string;
  /** Page that shows more. */
  readonly href: string | undefined;
}

export const notifications = signal<readonly Notification[]>([]);

const shownFor = { ok: 4000, bad: 10_000 };
/** Milliseconds for which a notification with a link is shown. */
const linkShownFor = 30_000;
let last = 0;

/** A short message about a completed action. It disappears by itself, and screen readers announce it. */
export function notify(text: string, tone: 'ok' | 'bad' = 'ok', href?: string): void {
  const id = ++last;
  notifications.value = [...notifications.value.slice(-3), { id, tone, text, href }];
  setTimeout(() => dismiss(id), href === undefined ? shownFor[tone] : linkShownFor);
}

export function dismiss(id: number): void {
  notifications.value = notifications.value.filter((entry) => entry.id !== id);
}

/** Maximum characters of a text that a notification shows for manual copying. */
const maxShownLength = 1500;

/** Copies a text. `what` names it in the notification. Without a secure origin there is no clipboard API, so a selection is used. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`Copied ${what}`);
  } catch {
    const before = document.activeElement;
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'hidden-text';
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    // Deprecated, but the only way on plain HTTP. All browsers still support it.
    const done = document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    const shown = text.length > maxShownLength ? '' : ` ${text}`;
    notify(done ? `Copied ${what}` : `The browser does not let the page copy.${shown}`, done ? 'ok' : 'bad');
  }
}
