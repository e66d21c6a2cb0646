import { useState } from 'preact/hooks';
import type { KeyChange } from '../../../api-types.ts';
import { post } from '../../browser/api.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/form.tsx';
import { Dialog } from '../../components/surface.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../parts/use-action.ts';
import { Issued } from './issued.tsx';

interface ChangeProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RotateDialog({ name, onClose, onDone }: ChangeProps) {
  const [overlap, setOverlap] = useState('24h');
  const rotate = useAction<KeyChange>(onDone);
  if (rotate.result !== undefined)
    return (
      <Dialog once title={`New secret of ${name}`} onClose={onClose} footer={<Button onClick={onClose}>I have copied it</Button>}>
        <Issued change={rotate.result} />
      </Dialog>
    );
  return (
    <Confirm
      title={`Rotate ${name}`}
      verb="Issue a new secret"
      busy={rotate.busy}
      error={rotate.error}
      onClose={onClose}
      onConfirm={() =>
        rotate.run((signal) => post(`/api/keys/${encodeURIComponent(name)}/rotate`, { overlap: overlap.trim() || '0s' }, signal))
      }
    >
      <p>A second secret is issued. Both work until the overlap ends; the table shows which one clients still use.</p>
      <TextField label="Overlap" value={overlap} onInput={setOverlap} hint="How long the current secret keeps working, such as 24h or 7d" />
    </Confirm>
  );
}
