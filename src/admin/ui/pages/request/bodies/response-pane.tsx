import { useMemo, useState } from 'preact/hooks';
import type { StoredRecord } from '../../../../../core/logs/reader.ts';
import { bytes, count } from '../../../browser/format.ts';
import { Code } from '../../../components/code.tsx';
import { LoadedView, Notice } from '../../../components/surface.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { AbsentBody } from './absent-body.tsx';
import { BinaryBody } from './binary-body.tsx';
import { EventList } from './event-list.tsx';
import { eventsIn, maxEvents } from './events.ts';
import { formatJson } from './format-json.ts';
import { ReadableView } from './readable-view.tsx';
import { readableOf } from './readable.ts';
import { useBody } from './use-body.ts';

type View = 'readable' | 'raw' | 'events';

export function ResponsePane({ stored }: { stored: StoredRecord }) {
  const body = useBody(stored, 'response');
  return (
    <LoadedView loaded={body} lines={6}>
      {({ body: held }) => {
        if (held === undefined) return <AbsentBody stored={stored} part="response" />;
        const { bytes: whole, text } = held;
        if (text === undefined) return <BinaryBody stored={stored} part="response" size={whole.length} />;
        return <Text stored={stored} whole={whole} text={text} />;
      }}
    </LoadedView>
  );
}

function Text({ stored, whole, text }: { stored: StoredRecord; whole: Uint8Array; text: string }) {
  const { response } = stored.record;
  const isStream = (response.headers['content-type'] ?? '').startsWith('text/event-stream') || /^(?:event|data):/.test(text);
  const events = useMemo(() => (isStream ? eventsIn(whole, response.body?.chunks ?? null) : undefined), [whole]);
  const readable = useMemo(() => readableOf(text, events), [whole]);
  const [view, setView] = useState<View>(readable === undefined ? 'raw' : 'readable');
  const tabs = [
    ...(readable === undefined ? [] : [['readable', 'Readable'] as const]),
    ['raw', 'Raw'] as const,
    ...(isStream ? [['events', `Events (${count(events?.length ?? 0)})`] as const] : []),
  ];
  const info = response.body;
  return (
    <Tabs tabs={tabs} value={view} onChange={setView} label="Views of the response" look="segments">
      {info !== null && info.kept < info.size && (
        <Notice tone="info" title={`The first ${bytes(info.kept)} of ${bytes(info.size)} are kept (logging.requests.max_body)`} />
      )}
      {view === 'readable' && (events?.length ?? 0) >= maxEvents && (
        <Notice tone="info" title={`Read from the first ${count(maxEvents)} events; Raw has all of them`} />
      )}
      {view === 'readable' && readable !== undefined && <ReadableView readable={readable} />}
      {view === 'raw' && <Code text={isStream ? text : formatJson(text)} language={isStream ? 'text' : 'json'} what="response body" />}
      {view === 'events' && <EventList events={events ?? []} />}
    </Tabs>
  );
}
