import { useState } from 'preact/hooks';
import type { KeyChange } from '../../../api-types.ts';
import { post } from '../../browser/api.ts';
import { notify } from '../../browser/notify.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/surface.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../parts/use-action.ts';
import { Issued } from './issued.tsx';

interface RevokeProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RevokeDialog({ name, onClose, onDone }: RevokeProps) {
  /** True if the change is not active: the lines must be pasted, or other files are invalid. */
  const [undone, setUndone] = useState<KeyChange>();
  const revoke = useAction<KeyChange>((change) => {
    onDone();
    if (change.written_to === null || change.rejected !== null) setUndone(change);
    else {
      notify(`Key ${name} is revoked`);
      onClose();
    }
  });
  if (undone !== undefined)
    return (
      <Dialog title={`Revoke ${name}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
        <Issued change={undone} />
      </Dialog>
    );
  return (
    <Confirm
      title={`Revoke ${name}`}
      verb="Revoke"
      danger
      busy={revoke.busy}
      error={revoke.error}
      onClose={onClose}
      onConfirm={() => revoke.run((signal) => post(`/api/keys/${encodeURIComponent(name)}/revoke`, {}, signal))}
    >
      <p>
        The gateway rejects every request with this key from now on, with all its secrets. It can’t be undone; a new key can be created.
      </p>
    </Confirm>
  );
}
