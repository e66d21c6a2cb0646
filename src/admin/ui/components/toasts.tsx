import { dismiss, notifications } from '../browser/notify.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notifications.value.map(({ id, tone, text, href }) => (
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
}
