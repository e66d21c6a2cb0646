import { Code } from '../components/code.tsx';
import { Empty } from '../components/display.tsx';

const lines = `logging:
  requests:
    bodies: redacted`;

/** Shown in place of request log data if the request log is off. */
export function LogSwitchedOff() {
  return (
    <Empty icon="requests" title="The request log is switched off">
      <p>
        With <code>logging.requests: off</code> the gateway keeps no requests: there is nothing to list, to count or to explain later. Write
        this instead, and restart the gateway:
      </p>
      <Code text={lines} language="yaml" what="configuration" />
      <p class="small">
        <code>redacted</code> keeps bodies with secrets and personal data masked, <code>metadata</code> keeps none.
      </p>
    </Empty>
  );
}
