import { computed, effect, signal } from '@preact/signals';
import { storedSignal } from './stored-signal.ts';

export type Theme = 'system' | 'light' | 'dark';
const isTheme = (value: unknown): value is Theme => value === 'system' || value === 'light' || value === 'dark';

export const theme = storedSignal<Theme>('theme', 'system', isTheme);

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(darkSystem.matches);
const print = matchMedia('print');
const isPrinting = signal(print.matches);

/** The displayed theme. Charts read their colours again when it changes. */
export const scheme = computed<'light' | 'dark'>(() => {
  if (isPrinting.value) return 'light';
  return theme.value === 'system' ? (systemIsDark.value ? 'dark' : 'light') : theme.value;
});

export function followTheme(): void {
  darkSystem.addEventListener('change', () => {
    systemIsDark.value = darkSystem.matches;
  });
  print.addEventListener('change', () => {
    isPrinting.value = print.matches;
  });
  effect(() => {
    document.documentElement.dataset.scheme = scheme.value;
  });
}
