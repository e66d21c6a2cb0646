/** Milliseconds without scrolling after which the position is saved, because browsers limit the rate of history changes. */
const keepAfter = 200;
/** Milliseconds within which a restored page must have loaded its content. */
const longest = 4000;

interface Kept {
  readonly top?: unknown;
}

let stop: (() => void) | undefined;

/** Scrolls a new page to its top. */
export function toTop(): void {
  stop?.();
  scrollTo(0, 0);
}

/** Restores the scroll position of a history entry. The page may still be short while it loads its content. */
function giveBack(): void {
  stop?.();
  const { top } = (history.state ?? {}) as Kept;
  if (typeof top !== 'number') return;
  const scroll = (): void => scrollTo(0, top);
  const resized = new ResizeObserver(scroll);
  resized.observe(document.body);
  const timer = setTimeout(() => stop?.(), longest);
  // Stop when the user interacts with the page.
  const acts = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
  const own = (): void => {
    resized.disconnect();
    clearTimeout(timer);
    for (const act of acts) removeEventListener(act, own);
    stop = undefined;
  };
  stop = own;
  for (const act of acts) addEventListener(act, own, { passive: true });
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
      }, keepAfter);
    },
    { passive: true },
  );
  addEventListener('popstate', () => {
    clearTimeout(timer);
    giveBack();
  });
  giveBack();
}
