import { useState } from 'preact/hooks';
import type { ReloadVerdict, Status } from '../../../api-types.ts';
import { post } from '../../browser/api.ts';
import { plural } from '../../browser/format.ts';
import type { Loaded } from '../../browser/load.ts';
import { notify } from '../../browser/notify.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/surface.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../parts/use-action.ts';
import { verdictText } from './verdict.ts';

/** Buttons for reload and drain; drain asks for confirmation. The page shows the result of a reload from the status. */
export function Controls({ status }: { status: Loaded<Status> }) {
  const [isConfirming, setConfirming] = useState(false);
  const reload = useAction<ReloadVerdict>((verdict) => {
    notify(verdictText(verdict), verdict.result === 'rejected' ? 'bad' : 'ok');
    status.reload();
  });
  const drain = useAction<{ readonly in_flight: number }>(({ in_flight: open }) => {
    setConfirming(false);
    notify(open === 0 ? 'The gateway stops' : `The gateway stops after ${plural(open, 'running request')}`);
    status.reload();
  });
  const isDraining = status.data?.draining === true;
  return (
    <>
      {reload.error !== undefined && <Problem error={reload.error} />}
      <Button icon="replay" disabled={reload.busy || isDraining} onClick={() => reload.run((signal) => post('/api/reload', {}, signal))}>
        Reload
      </Button>
      <Button disabled={isDraining} onClick={() => setConfirming(true)}>
        Drain…
      </Button>
      {isConfirming && (
        <Confirm
          title="Drain this gateway"
          verb="Drain and stop"
          danger
          busy={drain.busy}
          error={drain.error}
          onClose={() => setConfirming(false)}
          onConfirm={() => drain.run((signal) => post('/api/drain', {}, signal))}
        >
          <p>
            It accepts no further requests, completes those that are running ({status.data?.in_flight ?? 0} now), and then ends its process.
            The dashboard stops with it. Whether it starts again depends on what runs it, such as systemd or Kubernetes.
          </p>
        </Confirm>
      )}
    </>
  );
}
