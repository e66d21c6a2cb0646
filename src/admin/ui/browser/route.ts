import { computed, signal } from '@preact/signals';
import { toTop } from './scroll.ts';

/** The current location: path and query. */
const currentLocation = signal(read());

function read(): { readonly path: string; readonly search: string } {
  return { path: location.pathname, search: location.search };
}

export const path = computed(() => currentLocation.value.path);
export const parameters = computed(() => new URLSearchParams(currentLocation.value.search));

/** `/configs/support` and `/configs/draft` are one page, which keeps its scroll position. */
const pageOf = (pathname: string): string | undefined => pathname.split('/')[1];

/** Navigates to a path of the dashboard. `replace` adds no entry to the history. */
export function navigate(address: string, { replace = false } = {}): void {
  if (address === location.pathname + location.search) return;
  const before = pageOf(location.pathname);
  if (replace) history.replaceState(history.state, '', address);
  else history.pushState(null, '', address);
  currentLocation.value = read();
  if (pageOf(location.pathname) !== before) toTop();
}

/** Changes query parameters; undefined removes one. */
export function setParameters(changes: Readonly<Record<string, string | undefined>>, options: { replace?: boolean } = {}): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  navigate(location.pathname + (text === '' ? '' : `?${text}`), options);
}

/** Handles links to the dashboard without a page load. The browser handles all others (new tab, download, other origin). */
export function followLinks(): void {
  addEventListener('popstate', () => {
    currentLocation.value = read();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.pathname.startsWith('/api/') || link.getAttribute('href')?.startsWith('#') === true) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
