import { type Signal, effect, signal } from '@preact/signals';

/** `shared`: stored for all tabs. `tab`: stored until the tab is closed. */
type Life = 'shared' | 'tab';

/**
 * A signal that is stored in the browser. `check` decides whether a stored value is valid: it may be from an older version of the page,
 * or edited by hand.
 */
export function storedSignal<T>(name: string, initial: T, check: (value: unknown) => value is T, life: Life = 'shared'): Signal<T> {
  const key = `gateway.${name}`;
  const found = read(key, life);
  const value = signal<T>(check(found) ? found : initial);
  let kept = JSON.stringify(value.peek());
  effect(() => {
    const text = JSON.stringify(value.value);
    if (text === kept) return;
    kept = text;
    write(key, text, life);
  });
  if (life === 'tab') return value;
  // Use the value of another tab, because this tab would otherwise overwrite it with an old one.
  addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return;
    const other = read(key, life);
    const now = check(other) ? other : initial;
    kept = JSON.stringify(now);
    value.value = now;
  });
  return value;
}

const storageOf = (life: Life): Storage => (life === 'tab' ? sessionStorage : localStorage);

function read(key: string, life: Life): unknown {
  try {
    const text = storageOf(life).getItem(key);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Storage may be unavailable (private window, full). */
function write(key: string, text: string, life: Life): void {
  try {
    storageOf(life).setItem(key, text);
  } catch {
    // The choice is then kept until the page is closed.
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
export const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
