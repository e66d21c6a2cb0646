/** Milliseconds without a scroll after which the place is kept: browsers allow few changes of the history. */
const keepAfter = 200;
/** Milliseconds in which a page that is gone back to has loaded what made it long. */
const longest = 4000;

interface Kept {
  readonly top?: unknown;
}

let stop: (() => void) | undefined;

/** A new page begins at its top. */
export function toTop(): void {
  stop?.();
  scrollTo(0, 0);
}

/** Scrolls to where the entry of the history was left. Its page may still be short: it loads what was on it again. */
function giveBack(): void {
  stop?.();
  const { top } = (history.state ?? {}) as Kept;
  if (typeof top !== 'number') return;
  const scroll = (): void => scrollTo(0, top);
  const resized = new ResizeObserver(scroll);
  resized.observe(document.body);
  const timer = setTimeout(() => stop?.(), longest);
  // Whoever does something wants to stay where it is done.
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

/** Keeps with each entry of the history how far its page was scrolled: the browser alone cannot, since pages load after it has tried. */
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
