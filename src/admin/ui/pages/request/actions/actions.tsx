import { useState } from 'preact/hooks';
import type { Status } from '../../../../api-types.ts';
import { curlOf } from '../../../../../core/logs/curl.ts';
import type { BodyPart, StoredRecord } from '../../../../../core/logs/reader.ts';
import { decodeText } from '../../../../../core/logs/decode-text.ts';
import { get, getBytes } from '../../../browser/api.ts';
import { toApiError } from '../../../browser/load.ts';
import { copy, notify } from '../../../browser/notify.ts';
import { hasRole } from '../../../browser/session.ts';
import { useShortcuts } from '../../../browser/shortcuts.ts';
import { Button } from '../../../components/button.tsx';
import { originOf } from '../../../log/terms.ts';
import { isBodyStored } from '../bodies/use-body.ts';
import { ExplainDialog } from './explain.tsx';
import { actionKeys } from './keys.ts';
import { ReplayDialog } from './replay.tsx';

async function bodyOf(stored: StoredRecord, part: BodyPart): Promise<Uint8Array | undefined> {
  if (!isBodyStored(stored, part) || !hasRole('operator')) return undefined;
  return getBytes(`/api/requests/${encodeURIComponent(stored.record.id)}/body`, { part });
}

/** Encodes a body for a JSON file: text unchanged, other bytes as base64. */
function bodyForExport(bytes: Uint8Array | undefined): string | { readonly base64: string } | undefined {
  if (bytes === undefined) return undefined;
  return decodeText(bytes) ?? { base64: btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')) };
}

async function copyCurl(stored: StoredRecord): Promise<void> {
  const { url } = await get<Status>('/api/status');
  await copy(curlOf(stored.record, originOf(url), await bodyOf(stored, 'request')), 'Command');
}

/** The record and its stored bodies as one JSON file. */
async function exportAll(stored: StoredRecord): Promise<void> {
  const bodies = await Promise.all((['request', 'upstream', 'response'] as const).map((part) => bodyOf(stored, part)));
  const [request, upstream, response] = bodies.map(bodyForExport);
  const text = JSON.stringify({ ...stored, bodies: { request, upstream, response } }, null, 2);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = `${stored.record.id.replaceAll(/[^\w-]/g, '_')}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

const notifyFailure = (work: Promise<void>): void => void work.catch((error: unknown) => notify(toApiError(error).message, 'bad'));

export function Actions({ stored }: { stored: StoredRecord }) {
  const [dialog, setDialog] = useState<'explain' | 'replay'>();
  const { id } = stored.record;
  const mayTry = hasRole('operator');
  useShortcuts(
    actionKeys({
      copyId: () => notifyFailure(copy(id, 'Request id')),
      copyCurl: () => notifyFailure(copyCurl(stored)),
      explain: () => setDialog('explain'),
      replay: () => setDialog('replay'),
    }),
  );
  return (
    <div class="row">
      <Button icon="copy" shortcut="Y" label="Copy as a curl command" onClick={() => notifyFailure(copyCurl(stored))}>
        Copy as curl
      </Button>
      {mayTry && (
        <>
          <Button icon="explain" shortcut="e" label="Explain it with the current configuration" onClick={() => setDialog('explain')}>
            Explain now
          </Button>
          <Button icon="replay" shortcut="r" label="Send it again" onClick={() => setDialog('replay')}>
            Replay…
          </Button>
        </>
      )}
      <Button icon="download" label="Save the record and its bodies as JSON" onClick={() => notifyFailure(exportAll(stored))}>
        Export
      </Button>
      {dialog === 'explain' && <ExplainDialog id={id} onClose={() => setDialog(undefined)} />}
      {dialog === 'replay' && <ReplayDialog stored={stored} onClose={() => setDialog(undefined)} />}
    </div>
  );
}
