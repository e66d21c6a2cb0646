import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A panel next to the list, or over it if there is no room for both. The list remains usable. A panel that the user opened has
 * the focus, so that keys scroll it and reach its content. Afterwards the list gets the focus back.
 */
export function SidePanel({ children, takesFocus, onClose }: { children: ComponentChildren; takesFocus: boolean; onClose: () => void }) {
  const box = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    // Escape also closes the panel if a field or button in it has the focus.
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
