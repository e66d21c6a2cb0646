import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { copy } from '../browser/notify.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly children?: ComponentChildren;
  readonly icon?: IconName | undefined;
  readonly kind?: 'primary' | 'danger' | 'quiet' | undefined;
  readonly small?: boolean | undefined;
  /** Required for icon-only buttons; optional description for others. */
  readonly label?: string | undefined;
  readonly pressed?: boolean | undefined;
  readonly expanded?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly type?: 'button' | 'submit' | undefined;
  /** Keyboard shortcut. */
  readonly shortcut?: string | undefined;
}

export function Button({ onClick, children, icon, kind, small, label, pressed, expanded, disabled, type, shortcut }: ButtonProps) {
  const classes = ['button', kind, small === true && 'small', children === undefined && 'icon'].filter(Boolean).join(' ');
  const title = [label, shortcut === undefined ? undefined : `(${shortcut})`].filter(Boolean).join(' ');
  return (
    <button
      type={type ?? 'button'}
      class={classes}
      onClick={onClick}
      aria-label={children === undefined ? label : undefined}
      title={title === '' ? undefined : title}
      aria-pressed={pressed}
      aria-expanded={expanded}
      disabled={disabled}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function CopyButton({ text, what, small = true }: { text: string; what: string; small?: boolean }) {
  return <Button small={small} kind="quiet" icon="copy" label={`Copy ${what}`} onClick={() => void copy(text, what)} />;
}

export function LinkButton({
  href,
  children,
  icon,
  label,
}: {
  href: string;
  children: ComponentChildren;
  icon?: IconName;
  label?: string;
}) {
  return (
    <a class="button" href={href} title={label}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </a>
  );
}
