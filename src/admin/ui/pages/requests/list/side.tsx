import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Beside the list, or over it where there is no room for both. The list stays usable. */
export function Side({ children, onClose }: { children: ComponentChildren; onClose: () => void }) {
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
    return () => element.removeEventListener('keydown', escape);
  }, []);
  return (
    <aside class="side-panel" aria-label="Request" ref={box}>
      {children}
    </aside>
  );
}
