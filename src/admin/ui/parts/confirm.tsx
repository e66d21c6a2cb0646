import type { ComponentChildren } from 'preact';
import type { ApiError } from '../browser/api.ts';
import { Button } from '../components/button.tsx';
import { Dialog, Problem } from '../components/surface.tsx';

interface ConfirmProps {
  readonly title: string;
  /** What happens, in a sentence. */
  readonly children: ComponentChildren;
  /** The word on the button: what is done. */
  readonly verb: string;
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  readonly danger?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that others notice. */
export function Confirm({ title, children, verb, busy, error, danger = false, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
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
