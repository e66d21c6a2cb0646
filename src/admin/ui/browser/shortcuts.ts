import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** `keys` is one key (`j`, `Enter`, `?`) or two in sequence (`g r`). */
export interface Shortcut {
  readonly keys: string;
  readonly does: string;
  /** Undefined: it is listed on its own. */
  readonly run: (() => void) | undefined;
  /** Group under which it is listed. */
  readonly group?: string;
}

/** Shortcuts that were bound later take precedence, so that a dialog on top receives the keys. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/**
 * Binds keys while the component is shown. Always runs the functions of the latest render, because keys may arrive before
 * effects run.
 */
export function useShortcuts(list: readonly Shortcut[]): void {
  const latest = useRef(list);
  latest.current = list;
  const names = list.map(({ keys, run }) => `${keys} ${run !== undefined}`).join(',');
  // Assigned during the render, because a key may arrive before effects run.
  useLayoutEffect(() => {
    const bound = latest.current.map((entry) => ({
      ...entry,
      run: entry.run && (() => latest.current.find(({ keys }) => keys === entry.keys)?.run?.()),
    }));
    shortcuts.value = [...shortcuts.peek(), ...bound];
    return () => {
      shortcuts.value = shortcuts.peek().filter((entry) => !bound.includes(entry));
    };
  }, [names]);
}

const sequenceTimeoutMs = 1200;

/** On many keyboards, brackets are typed with AltGr, or with Option on a Mac. */
const isSymbolKey = (event: KeyboardEvent): boolean =>
  (event.altKey || event.getModifierState('AltGraph')) && !event.metaKey && /^[^\s\w\p{L}]$/u.test(event.key);

/** Keys of the US layout that are shortcuts, by their position. */
const bracketKeys: Readonly<Record<string, string>> = { BracketLeft: '[', BracketRight: ']' };

/**
 * The key as it is named in a shortcut. On a layout with another script (Cyrillic, Greek), its position on a US keyboard counts.
 * Caps Lock does not count as Shift: `y` and `Y` differ.
 */
export function keyOf(event: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'getModifierState'>): string {
  const { key, code, shiftKey } = event;
  if (/^[\p{ASCII}\p{Script=Latin}]+$/u.test(key))
    return /^[a-z]$/i.test(key) && event.getModifierState('CapsLock') ? letterOf(key, shiftKey) : key;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  return letter === undefined ? (bracketKeys[code] ?? key) : letterOf(letter, shiftKey);
}

const letterOf = (letter: string, shiftKey: boolean): string => (shiftKey ? letter.toUpperCase() : letter.toLowerCase());

/** Keys typed into a field are not shortcuts. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function followKeys(): void {
  let first = '';
  let at = 0;
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || ((event.ctrlKey || event.metaKey || event.altKey) && !isSymbolKey(event))) return;
    if (isTyping(event.target) || event.key === 'Shift') return;
    // An open dialog receives all keys; the browser closes it with Escape.
    if (document.querySelector('dialog[open]') !== null) return;
    // Enter on a button or link activates it.
    if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('a, button, summary') !== null) return;
    const key = keyOf(event);
    const two = first !== '' && event.timeStamp - at < sequenceTimeoutMs ? `${first} ${key}` : '';
    const all = shortcuts.peek().filter(({ run }) => run !== undefined);
    const found = all.findLast(({ keys }) => keys === two) ?? all.findLast(({ keys }) => keys === key);
    first = found === undefined && all.some(({ keys }) => keys.startsWith(`${key} `)) ? key : '';
    at = event.timeStamp;
    if (found?.run === undefined) return;
    event.preventDefault();
    found.run();
  });
}
