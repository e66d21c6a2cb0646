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

/** Hangs below its button; closes with Escape, a click elsewhere, or when the focus leaves. */
export function Popover({ open, onClose, button, children, label, side = 'right' }: PopoverProps) {
  const anchor = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    if (!open) return undefined;
    const outside = (event: Event): void => {
      if (event.target instanceof Node && anchor.current?.contains(event.target) !== true) close.current();
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      close.current();
      anchor.current?.querySelector('button')?.focus();
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    document.addEventListener('keydown', escape, true);
    anchor.current?.querySelector<HTMLElement>('.popover input, .popover button, .popover a')?.focus();
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
      document.removeEventListener('keydown', escape, true);
    };
  }, [open]);
  return (
    <div class="popover-anchor" ref={anchor}>
      {button}
      {open && (
        <div class={`popover ${side}`} role="dialog" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  );
}
