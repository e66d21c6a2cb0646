import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { dismiss, notifications } from '../browser/notify.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

const openDialogs = signal(0);

/** The notifications above the page. While a dialog is open, it shows them: the page below it is inert, and not read out. */
export const Toasts = () => <ToastList isShown={openDialogs.value === 0} />;

export function DialogToasts() {
  useLayoutEffect(() => {
    openDialogs.value += 1;
    return () => {
      openDialogs.value -= 1;
    };
  }, []);
  return <ToastList isShown />;
}

const ToastList = ({ isShown }: { isShown: boolean }) => (
  <div class="toasts" role="status" aria-live="polite">
    {(isShown ? notifications.value : []).map(({ id, tone, text, href }) => (
      <div key={id} class={`toast ${tone}`}>
        <Icon name={tone} />
        <span class="grow">
          {text} {href !== undefined && <a href={href}>Open the request</a>}
        </span>
        <Button small kind="quiet" icon="close" label="Dismiss" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
);
