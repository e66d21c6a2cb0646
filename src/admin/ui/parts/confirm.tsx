import type { ComponentChildren } from 'preact';
import type { ApiError } from '../browser/api.ts';
import { Button } from '../components/button.tsx';
import { Dialog, Problem } from '../components/surface.tsx';

interface ConfirmProps {
  readonly title: string;
  /** One sentence that describes the effect. */
  readonly children: ComponentChildren;
  /** Label of the button: the action. */
  readonly verb: string;
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  readonly danger?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation of an action that affects others. */
export function Confirm({ title, children, verb, busy, error, danger = false, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      busy={busy}
      onClose={onClose}
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button kind={danger ? 'danger' : 'primary'} disabled={busy} onClick={onConfirm}>
            {verb}
          </Button>
        </>
      }
    >
      <div class="stack">
        {children}
        {error !== undefined && <Problem error={error} />}
      </div>
    </Dialog>
  );
}
