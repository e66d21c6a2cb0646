import { useState } from 'preact/hooks';
import type { StoredRecord } from '../../../../core/logs/reader.ts';
import { get } from '../../browser/api.ts';
import { useLoad } from '../../browser/load.ts';
import { useDelayedTrue } from '../../browser/use-delayed-true.ts';
import { Loading } from '../../components/display.tsx';
import { statusLabel } from '../../log/cells.tsx';
import { Notice, Problem } from '../../components/surface.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Actions } from './actions/actions.tsx';
import { RequestPane } from './bodies/request-pane.tsx';
import { ResponsePane } from './bodies/response-pane.tsx';
import { FactsPane } from './facts.tsx';
import { ClosePanel, Head } from './head.tsx';
import { StepFacts } from './timeline/step-facts.tsx';
import type { Step } from './timeline/segments.ts';
import { Timeline } from './timeline/timeline.tsx';

type Pane = 'response' | 'request' | 'facts';
const panes: readonly (readonly [Pane, string])[] = [
  ['response', 'Response'],
  ['request', 'Request'],
  ['facts', 'Facts'],
];

interface PaneProps {
  readonly pane: Pane;
  readonly stored: StoredRecord;
  readonly step: Step | null;
}

export const recordPath = (id: string): string => `/api/requests/${encodeURIComponent(id)}`;

/** Milliseconds after which the parts behind the other tabs are loaded, too. */
const settledMs = 500;

/** All details of one request, next to the list or on a separate page. Paper gets every part. */
export function RequestView({ id, isPanel, onClose }: { id: string; isPanel: boolean; onClose?: () => void }) {
  const loaded = useLoad((signal) => get<StoredRecord>(recordPath(id), {}, signal), [id]);
  const { data, error, reload } = loaded;
  if (error === undefined && data !== undefined) return <RequestDetails stored={data} isPanel={isPanel} onClose={onClose} />;
  return (
    <div class="request-pending">
      {error === undefined ? <Loading lines={8} height="1.5rem" /> : <Problem error={error} onRetry={reload} />}
      {isPanel && <ClosePanel onClose={onClose} />}
    </div>
  );
}

function RequestDetails({ stored, isPanel, onClose }: { stored: StoredRecord; isPanel: boolean; onClose: (() => void) | undefined }) {
  const { record } = stored;
  const [pane, setPane] = useState<Pane>('response');
  // Not for requests that the user walks past.
  const hasAllPanes = useDelayedTrue(true, isPanel ? settledMs : 0);
  const [step, setStep] = useState<Step | null>(null);
  const choose = (next: Step | null): void => {
    setStep(next);
    if (next !== null) setPane('request');
  };
  return (
    <div class="stack story">
      <Head record={record} isPanel={isPanel} onClose={onClose} />
      <Actions stored={stored} />
      {record.error !== null && (
        <Notice tone={statusLabel(record.status, record.end).tone === 'bad' ? 'bad' : 'warn'} title={record.error.message}>
          <p>
            <code>{record.error.code}</code> · from the {record.error.source}
          </p>
        </Notice>
      )}
      {record.warnings.map((warning) => (
        <Notice key={warning} tone="warn" title={warning} />
      ))}
      <section class="stack tight" aria-label="Timeline">
        <h2>Timeline</h2>
        <Timeline record={record} step={step} onStep={choose} />
      </section>
      {step !== null && <StepFacts step={step} record={record} onClose={() => setStep(null)} />}
      <Tabs tabs={panes} value={pane} onChange={setPane} label="Parts of the request">
        {panes
          .filter(([name]) => name === pane || hasAllPanes)
          .map(([name, title]) => (
            <div key={name} class={name === pane ? 'stack tight' : 'stack tight print-only'}>
              <h2 class="print-only">{title}</h2>
              <PaneView pane={name} stored={stored} step={step} />
            </div>
          ))}
      </Tabs>
    </div>
  );
}

function PaneView({ pane, stored, step }: PaneProps) {
  if (pane === 'response') return <ResponsePane stored={stored} />;
  if (pane === 'facts') return <FactsPane stored={stored} />;
  const initial = step === null ? 'client' : step.kind === 'plugin' ? 'difference' : 'upstream';
  return <RequestPane key={step?.kind ?? ''} stored={stored} initial={initial} />;
}
