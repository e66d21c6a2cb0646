import type { Explanation } from '../../../../../core/logs/explanation.ts';
import { post } from '../../../browser/api.ts';
import { useLoad } from '../../../browser/load.ts';
import { LoadedView, Dialog } from '../../../components/surface.tsx';
import { ExplanationView } from '../../../log/explanation.tsx';

/** Explains a recorded request under the current configuration. Nothing is sent. */
export function ExplainDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const loaded = useLoad((signal) => post<Explanation>('/api/explain', { from_log: id }, signal), [id]);
  return (
    <Dialog title="This request with the current configuration" wide onClose={onClose}>
      <LoadedView loaded={loaded} lines={8}>
        {(explanation) => <ExplanationView explanation={explanation} />}
      </LoadedView>
    </Dialog>
  );
}
