import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Beside the list, or over it where there is no room for both. The list stays usable. What somebody opened has the focus, so that the
 * keyboard scrolls it and reaches what is in it; the list gets it back.
 */
export function Side({ children, takesFocus, onClose }: { children: ComponentChildren; takesFocus: boolean; onClose: () => void }) {
  const box = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    // Escape in a field or on a button of the panel closes it too.
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || element.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      event.stopPropagation();
      close.current();
    };
    element.addEventListener('keydown', escape);
    if (takesFocus) element.focus({ preventScroll: true });
    return () => {
      element.removeEventListener('keydown', escape);
      if (element.contains(document.activeElement)) document.querySelector<HTMLElement>('.grid-box')?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside class="side-panel" aria-label="Request" tabIndex={-1} ref={box}>
      {children}
    </aside>
  );
}
