import { useEffect, useRef } from 'preact/hooks';
import { addressOf } from '../../browser/api.ts';
import { Code } from '../../components/code.tsx';
import { Badge, Empty } from '../../components/display.tsx';
import { originOf } from '../../log/terms.ts';
import type { Status } from '../../../api-types.ts';

const commandOf = ({ url, example }: Status): string =>
  [
    `curl ${originOf(url)}/v1/chat/completions -H 'content-type: application/json'`,
    ...(example?.needs_key === true ? [`-H "x-gateway-api-key: $KEY"`] : []),
    `-d '${JSON.stringify({ model: example?.model ?? '@slug/model', messages: [{ role: 'user', content: 'hello' }] }).replaceAll("'", String.raw`'\''`)}'`,
  ].join(' \\\n  ');

/** Milliseconds between two looks at the store without an event. */
const every = 3000;

/** Teaches the first request, and sees it arrive. */
export function FirstRequest({ status, onFirst }: { status: Status; onFirst: () => void }) {
  const latest = useRef(onFirst);
  latest.current = onFirst;
  useEffect(() => {
    const source = new EventSource(addressOf('/api/live'));
    let timer: ReturnType<typeof setInterval> | undefined;
    // What ended before the connection stood is no event of it.
    const slow = setInterval(() => latest.current(), every);
    // The store has the record a moment after its end: asked until this page makes room for the list.
    source.addEventListener('message', () => {
      timer ??= setInterval(() => latest.current(), 400);
    });
    return () => {
      source.close();
      clearInterval(timer);
      clearInterval(slow);
    };
  }, []);
  return (
    <Empty icon="requests" title="No requests yet">
      <p>Send one to the gateway. It appears here by itself, a moment after its response.</p>
      <Code text={commandOf(status)} what="command" />
      <p class="small">
        Libraries need only another base URL: <code>{originOf(status.url)}/v1</code>.
      </p>
      <Badge tone="info" icon="time">
        Waiting for the first request
      </Badge>
    </Empty>
  );
}
