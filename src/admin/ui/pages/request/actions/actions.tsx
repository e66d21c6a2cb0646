import type { StoredRecord } from '../../../../../core/logs/reader.ts';
import { decodeText } from '../../../../../core/logs/decode-text.ts';
import { hasRole } from '../../../browser/session.ts';
import { Button } from '../../../components/button.tsx';
import { bodyOf, notifyFailure, useRequestActions } from './use-request-actions.tsx';

/** Encodes a body for a JSON file: text unchanged, other bytes as base64. */
function bodyForExport(bytes: Uint8Array | undefined): string | { readonly base64: string } | undefined {
  if (bytes === undefined) return undefined;
  return decodeText(bytes) ?? { base64: btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')) };
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

export function Actions({ stored }: { stored: StoredRecord }) {
  const { copyCurl, explain, replay, dialog } = useRequestActions(stored.record.id, () => Promise.resolve(stored));
  return (
    <div class="row">
      <Button icon="copy" shortcut="Y" label="Copy as a curl command" onClick={copyCurl}>
        Copy as curl
      </Button>
      {hasRole('operator') && (
        <>
          <Button icon="explain" shortcut="e" label="Explain it with the current configuration" onClick={explain}>
            Explain now
          </Button>
          <Button icon="replay" shortcut="r" label="Send it again" onClick={replay}>
            Replay…
          </Button>
        </>
      )}
      <Button icon="download" label="Save the record and its bodies as JSON" onClick={() => notifyFailure(exportAll(stored))}>
        Export
      </Button>
      {dialog}
    </div>
  );
}
