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

/** Milliseconds between two queries of the store if no event arrives. */
const every = 3000;

/** Shows how to send the first request, and reports its arrival. */
export function FirstRequest({ status, isLoading, onFirst }: { status: Status; isLoading: boolean; onFirst: () => void }) {
  const latest = useRef(onFirst);
  // Another query would abort one that is slower than the interval.
  latest.current = isLoading ? () => undefined : onFirst;
  useEffect(() => {
    const source = new EventSource(addressOf('/api/live'));
    let timer: ReturnType<typeof setInterval> | undefined;
    // A request that ended before the connection was open causes no event.
    const slow = setInterval(() => latest.current(), every);
    // The record is stored shortly after the request has ended, so query until the list replaces this page.
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
      <p>Send one to the gateway. It appears here a moment after its response.</p>
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
