import type { KeyChange } from '../../../api-types.ts';
import { copy } from '../../browser/notify.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Notice } from '../../components/surface.tsx';

/** Result of a change: the secret, shown once, and the YAML to paste if no file could be written. */
export function Issued({ change }: { change: KeyChange }) {
  const { secret, yaml, written_to: file, rejected } = change;
  return (
    <div class="stack">
      {secret !== null && (
        <>
          <Notice tone="warn" title="The secret is shown once: copy it now">
            <p>
              Clients send it as <code>x-gateway-api-key</code>, or as the API key of their library. Only its hash is kept.
            </p>
          </Notice>
          <div class="secret">
            <code aria-label="Secret">{secret}</code>
            <Button kind="primary" icon="copy" onClick={() => void copy(secret, 'secret')}>
              Copy
            </Button>
          </div>
        </>
      )}
      {file === null ? (
        <>
          <Notice tone="info" title="Nothing was written: paste these lines into gateway.yaml">
            <p>
              The gateway can’t write its files here, or includes no directory for keys. The change takes effect a second after you save
              them.
            </p>
          </Notice>
          <Code text={yaml} language="yaml" what="YAML" />
        </>
      ) : rejected !== null ? (
        <Notice tone="bad" title={`Written to ${file}, and not in effect: the files are rejected`}>
          <p class="break">{rejected}</p>
          <p>Fix it: the change takes effect within a second after you save.</p>
        </Notice>
      ) : (
        <Notice tone="ok" title={`Written to ${file}, and in effect now`} />
      )}
    </div>
  );
}
