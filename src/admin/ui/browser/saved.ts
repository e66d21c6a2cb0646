import { type Signal, effect, signal } from '@preact/signals';

/**
 * A signal that is kept in the browser, the same in all its tabs. `check` decides whether what was found is still of use: it may be of an older
 * version of the page, or written by hand.
 */
export function saved<T>(name: string, initial: T, check: (value: unknown) => value is T): Signal<T> {
  const key = `gateway.${name}`;
  const found = read(key);
  const value = signal<T>(check(found) ? found : initial);
  let kept = JSON.stringify(value.peek());
  effect(() => {
    const text = JSON.stringify(value.value);
    if (text === kept) return;
    kept = text;
    write(key, text);
  });
  // What another tab wrote: this one would overwrite it with what it knew before.
  addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return;
    const other = read(key);
    const now = check(other) ? other : initial;
    kept = JSON.stringify(now);
    value.value = now;
  });
  return value;
}

function read(key: string): unknown {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** A browser that keeps nothing (private window, full) is no reason to fail. */
function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The choice holds until the page is closed.
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
export const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
