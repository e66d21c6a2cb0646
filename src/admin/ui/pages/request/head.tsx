import { isCacheHit } from '../../../../core/logs/row.ts';
import type { LogRecord } from '../../../../core/records/record.ts';
import { count, duration, moment, zone } from '../../browser/format.ts';
import { Button, CopyButton, LinkButton } from '../../components/button.tsx';
import { Cost, routeText, Status } from '../../log/cells.tsx';
import { requestHref, traceHref } from '../../log/terms.ts';

export const ClosePanel = ({ onClose }: { onClose: (() => void) | undefined }) => (
  <Button kind="quiet" icon="close" label="Close" shortcut="Esc" onClick={() => onClose?.()} />
);

/** The most important facts: status, route, duration, tokens, cost, time and ids. */
export function Head({ record, isPanel, onClose }: { record: LogRecord; isPanel: boolean; onClose: (() => void) | undefined }) {
  const { id, at, status, end, attempts, provider, model, ms, usage, cost, trace } = record;
  const last = attempts.at(-1);
  const fallback = last !== undefined && attempts.some(({ target }) => target !== last.target);
  const route = routeText({ provider, model: model.sent ?? model.asked, endpoint: record.endpoint });
  const Heading = isPanel ? 'h2' : 'p';
  return (
    <header class="stack tight story-head">
      <div class="row apart top">
        <Heading class="row story-title">
          <Status status={status} end={end} fallback={fallback} />
          <span class="break" title={route}>
            {route}
          </span>
        </Heading>
        {isPanel && (
          <span class="row">
            <LinkButton href={requestHref(id)} icon="link" label="Open on its own page">
              Page
            </LinkButton>
            <ClosePanel onClose={onClose} />
          </span>
        )}
      </div>
      <div class="row story-facts">
        <strong>{duration(ms.total)}</strong>
        {record.stream && ms.first_event !== null && <span>first token {duration(ms.first_event)}</span>}
        {isCacheHit(record) && <span>from the cache</span>}
        {usage.prompt + usage.completion > 0 && (
          <span>
            {count(usage.prompt)} → {count(usage.completion)} tokens
          </span>
        )}
        <Cost cost={cost.usd} provider={provider} />
        <time dateTime={new Date(at).toISOString()} title={new Date(at).toISOString()}>
          {moment(at)} {zone(at)}
        </time>
      </div>
      <div class="row story-ids">
        <span class="row">
          <code class="break">{id}</code>
          <CopyButton text={id} what="request id" />
        </span>
        <span class="row">
          <a class="break" href={traceHref(trace.trace_id)}>
            trace <code>{trace.trace_id}</code>
          </a>
          <CopyButton text={trace.trace_id} what="trace id" />
        </span>
      </div>
    </header>
  );
}
