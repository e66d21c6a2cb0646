import { useState } from 'preact/hooks';
import type { RequestDifferences } from '../../../../api-types.ts';
import type { BodyPart, StoredRecord } from '../../../../../core/logs/reader.ts';
import { get } from '../../../browser/api.ts';
import { bytes } from '../../../browser/format.ts';
import { hasRole } from '../../../browser/session.ts';
import { useLoad } from '../../../browser/load.ts';
import { Code } from '../../../components/code.tsx';
import { Differences } from '../../../components/difference.tsx';
import { Empty } from '../../../components/display.tsx';
import { LoadedView, Notice } from '../../../components/surface.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { AbsentBody } from './absent-body.tsx';
import { BinaryBody } from './binary-body.tsx';
import { formatJson } from './format-json.ts';
import { useBody } from './use-body.ts';

type View = 'client' | 'upstream' | 'difference';
const views: readonly (readonly [View, string])[] = [
  ['client', 'From the client'],
  ['upstream', 'To the provider'],
  ['difference', 'Difference'],
];

export function RequestPane({ stored, initial = 'client' }: { stored: StoredRecord; initial?: View }) {
  const [view, setView] = useState<View>(initial);
  return (
    <Tabs tabs={views} value={view} onChange={setView} label="Views of the request" look="segments">
      {view === 'difference' && hasRole('operator') ? (
        <Difference stored={stored} />
      ) : (
        <BodyView stored={stored} part={view === 'upstream' ? 'upstream' : 'request'} />
      )}
    </Tabs>
  );
}

/** One body as text, with the size of its stored part. */
function BodyView({ stored, part }: { stored: StoredRecord; part: BodyPart }) {
  const body = useBody(stored, part);
  const info = stored.record[part].body;
  return (
    <LoadedView loaded={body} lines={6}>
      {({ body: held }) =>
        held === undefined ? (
          <AbsentBody stored={stored} part={part} />
        ) : (
          <>
            {info !== null && info.same_as === null && info.kept < info.size && (
              <Notice tone="info" title={`The first ${bytes(info.kept)} of ${bytes(info.size)} are kept (logging.requests.max_body)`} />
            )}
            {held.text === undefined ? (
              <BinaryBody stored={stored} part={part} size={held.bytes.length} />
            ) : (
              <Code text={formatJson(held.text)} language="json" what={`${part} body`} />
            )}
          </>
        )
      }
    </LoadedView>
  );
}

function Difference({ stored }: { stored: StoredRecord }) {
  const { id } = stored.record;
  const loaded = useLoad((signal) => get<RequestDifferences>(`/api/requests/${encodeURIComponent(id)}/differences`, {}, signal), [id]);
  return (
    <LoadedView loaded={loaded}>
      {({ differences, why_absent: why }) => (
        <>
          {why !== null && <Notice tone="info" title={why} />}
          {differences.length > 0 ? (
            <Differences list={differences} />
          ) : (
            why === null && (
              <Empty icon="ok" title="No difference">
                <p>The provider received the client’s body unchanged.</p>
              </Empty>
            )
          )}
        </>
      )}
    </LoadedView>
  );
}
