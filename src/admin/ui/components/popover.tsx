import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface PopoverProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** The button that opens it. */
  readonly button: ComponentChildren;
  readonly children: ComponentChildren;
  readonly label: string;
  readonly side?: 'left' | 'right';
}

/** Distance in pixels to its button and to the edges of the window. */
const gap = 4;
const margin = 12;

/** Positions it below its button and within the window, independent of clipping ancestors. */
function positionPopover(popover: HTMLElement, anchor: HTMLElement, side: 'left' | 'right'): void {
  const { left, right, bottom } = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const wanted = side === 'left' ? left : right - width;
  popover.style.left = `${Math.max(margin, Math.min(wanted, window.innerWidth - width - margin))}px`;
  popover.style.top = `${Math.max(margin, Math.min(bottom + gap, window.innerHeight - height - margin))}px`;
}

/** Opens below its button; closes with Escape, with a click elsewhere, or when it loses the focus. Its button gets the focus back. */
export function Popover({ open, onClose, button, children, label, side = 'right' }: PopoverProps) {
  const anchor = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    if (!open) return undefined;
    const closeIfOutside = (event: Event): void => {
      if (event.target instanceof Node && anchor.current?.contains(event.target) !== true) close.current();
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      close.current();
      anchor.current?.querySelector('button')?.focus();
    };
    const reposition = (): void => {
      const popover = anchor.current?.querySelector<HTMLElement>('.popover');
      if (anchor.current !== null && popover) positionPopover(popover, anchor.current, side);
    };
    reposition();
    // Its content may load later, for example the names of columns.
    const resized = new ResizeObserver(reposition);
    for (const popover of anchor.current?.querySelectorAll('.popover') ?? []) resized.observe(popover);
    window.addEventListener('resize', reposition);
    document.addEventListener('scroll', reposition, true);
    document.addEventListener('pointerdown', closeIfOutside);
    document.addEventListener('focusin', closeIfOutside);
    document.addEventListener('keydown', escape, true);
    // Focuses the selected option, or else the first one.
    const first = ['.popover [aria-pressed="true"]', '.popover input, .popover button, .popover a'];
    first
      .map((selector) => anchor.current?.querySelector<HTMLElement>(selector))
      .find(Boolean)
      ?.focus();
    return () => {
      resized.disconnect();
      window.removeEventListener('resize', reposition);
      document.removeEventListener('scroll', reposition, true);
      document.removeEventListener('pointerdown', closeIfOutside);
      document.removeEventListener('focusin', closeIfOutside);
      document.removeEventListener('keydown', escape, true);
      // Its content had the focus and is gone.
      if (document.activeElement === document.body) anchor.current?.querySelector('button')?.focus();
    };
  }, [open, side]);
  return (
    <div class="popover-anchor" ref={anchor}>
      {button}
      {open && (
        <div class="popover" role="dialog" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  );
}
