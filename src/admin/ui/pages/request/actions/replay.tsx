import { useState } from 'preact/hooks';
import type { ReplayResult } from '../../../../api-types.ts';
import type { StoredRecord } from '../../../../../core/logs/reader.ts';
import { post } from '../../../browser/api.ts';
import { notify } from '../../../browser/notify.ts';
import { Button } from '../../../components/button.tsx';
import { Code } from '../../../components/code.tsx';
import { Differences } from '../../../components/difference.tsx';
import { Badge } from '../../../components/display.tsx';
import { Check, TextField } from '../../../components/form.tsx';
import { Dialog, Notice, Problem } from '../../../components/surface.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { requestHref } from '../../../log/terms.ts';
import { useAction } from '../../../parts/use-action.ts';
import { formatJson } from '../bodies/format-json.ts';

/** Sends a request again, only after a click on the button. Shows the expected cost before. */
export function ReplayDialog({ stored, onClose }: { stored: StoredRecord; onClose: () => void }) {
  const { record, bodies } = stored;
  const [to, setTo] = useState('');
  const [config, setConfig] = useState('');
  const [apiKey, setApiKey] = useState('');
  const [force, setForce] = useState(false);
  const replay = useAction<ReplayResult>(undefined, ({ status, id }) =>
    notify(`The replay ended with status ${status}.`, status < 400 ? 'ok' : 'bad', requestHref(id)),
  );
  const { busy, error, result } = replay;
  const send = (): void => {
    const given = { to: to.trim(), config: config.trim(), api_key: apiKey.trim() };
    const chosen = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
    const replayRequest = { id: record.id, ...chosen, ...(force ? { force } : {}) };
    replay.run((signal) => post('/api/replay', replayRequest, signal));
  };
  // A masked body is sent only after confirmation.
  const isMasked = force || error?.code === 'missing_required_parameter';
  const hasBody = bodies.includes('request') || record.request.body === null;
  return (
    <Dialog
      title="Replay"
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" disabled={busy || !hasBody} onClick={send}>
            {busy ? 'Sending…' : result === undefined ? 'Send it' : 'Send it again'}
          </Button>
        </>
      }
    >
      <div class="stack">
        {hasBody ? (
          <p class="muted">
            The recorded request is sent to its provider again, and the provider charges for it. Values that the log masked stay masked.
          </p>
        ) : (
          <Notice tone="warn" title="The body of this request is not stored, so it cannot be sent again" />
        )}
        <TextField
          label="To"
          value={to}
          onInput={setTo}
          placeholder="openai-main/gpt-4o"
          hint="Provider and model. Empty: the recorded one."
        />
        <TextField
          label="Config"
          value={config}
          onInput={setConfig}
          placeholder={record.config ?? 'support'}
          hint="Name of a config. Empty: the recorded one."
        />
        <TextField
          label="Gateway API key"
          type="password"
          value={apiKey}
          onInput={setApiKey}
          hint="If the gateway requires one. Used for this request only, not stored."
        />
        {error !== undefined && (isMasked ? <Notice tone="warn" title={error.message} /> : <Problem error={error} />)}
        {isMasked && <Check label="Send the stored request with its masked values" checked={force} onChange={setForce} />}
        {result !== undefined && <Result result={result} />}
      </div>
    </Dialog>
  );
}

function Result({ result }: { result: ReplayResult }) {
  const [view, setView] = useState<'difference' | 'response'>('difference');
  return (
    <section class="stack tight" aria-label="Result">
      <div class="row apart">
        <Badge tone={result.status >= 400 ? 'bad' : 'ok'}>{result.status}</Badge>
        <a href={requestHref(result.id)}>Open the new request</a>
      </div>
      <Tabs
        tabs={[
          ['difference', 'Difference'],
          ['response', 'Response'],
        ]}
        value={view}
        onChange={setView}
        label="Views of the result"
        look="segments"
      >
        {view === 'response' ? (
          <Code text={formatJson(result.body)} language="json" what="response body" />
        ) : result.why_absent !== null ? (
          <p class="muted">{result.why_absent}</p>
        ) : result.differences.length === 0 ? (
          <p class="muted">Both responses are the same.</p>
        ) : (
          <Differences list={result.differences} />
        )}
      </Tabs>
    </section>
  );
}
