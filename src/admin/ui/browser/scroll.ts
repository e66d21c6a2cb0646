/** Milliseconds without scrolling after which the position is saved, because browsers limit the rate of history changes. */
const saveDelayMs = 200;
/** Milliseconds within which a restored page must have loaded its content. */
const restoreTimeoutMs = 4000;

interface HistoryState {
  readonly top?: unknown;
}

let stop: (() => void) | undefined;

/** Scrolls a new page to its top. */
export function toTop(): void {
  stop?.();
  scrollTo(0, 0);
}

/** Restores the scroll position of a history entry. The page may still be short while it loads its content. */
function restoreScroll(): void {
  stop?.();
  const { top } = (history.state ?? {}) as HistoryState;
  if (typeof top !== 'number') return;
  const scroll = (): void => scrollTo(0, top);
  const resized = new ResizeObserver(scroll);
  resized.observe(document.body);
  const timer = setTimeout(() => stop?.(), restoreTimeoutMs);
  // Stop when the user interacts with the page.
  const events = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
  const stopRestoring = (): void => {
    resized.disconnect();
    clearTimeout(timer);
    for (const event of events) removeEventListener(event, stopRestoring);
    stop = undefined;
  };
  stop = stopRestoring;
  for (const event of events) addEventListener(event, stopRestoring, { passive: true });
  scroll();
}

/** Saves the scroll position with each history entry. The browser cannot restore it, because pages load their content later. */
export function followScroll(): void {
  history.scrollRestoration = 'manual';
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener(
    'scroll',
    () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (stop === undefined) history.replaceState({ top: scrollY }, '');
      }, saveDelayMs);
    },
    { passive: true },
  );
  addEventListener('popstate', () => {
    clearTimeout(timer);
    restoreScroll();
  });
  restoreScroll();
}
