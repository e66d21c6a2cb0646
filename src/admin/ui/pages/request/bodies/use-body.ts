import type { BodyPart, StoredRecord } from '../../../../../core/logs/reader.ts';
import { decodeText } from '../../../../../core/logs/decode-text.ts';
import { getBytes } from '../../../browser/api.ts';
import { hasRole } from '../../../browser/session.ts';
import { type Loaded, useLoad } from '../../../browser/load.ts';

export interface LoadedBody {
  readonly bytes: Uint8Array;
  /** Undefined if there is none. */
  readonly text: string | undefined;
}

/** True if there is a body to load: the message's own, or the client's body with changes. */
export const isBodyStored = ({ record, bodies }: StoredRecord, part: BodyPart): boolean =>
  bodies.includes(part) ||
  (part === 'upstream' && record.upstream.body?.same_as === 'request' && isCompletelyStored(record.request, bodies));

const isCompletelyStored = ({ body }: StoredRecord['record']['request'], bodies: readonly BodyPart[]): boolean =>
  bodies.includes('request') && body !== null && body.kept >= body.size;

/** Loads a body when it is displayed; undefined if it is not stored, or if the user may not see it. */
export function useBody(stored: StoredRecord, part: BodyPart): Loaded<{ readonly body: LoadedBody | undefined }> {
  const loaded = useLoad(
    async (signal) => {
      if (!isBodyStored(stored, part) || !hasRole('operator')) return undefined;
      const bytes = await getBytes(`/api/requests/${encodeURIComponent(stored.record.id)}/body`, { part }, signal);
      return { bytes, text: decodeText(bytes) };
    },
    [stored.record.id, part],
  );
  const isKnown = loaded.data !== undefined || (!loaded.loading && loaded.error === undefined);
  return { ...loaded, data: isKnown ? { body: loaded.data } : undefined };
}
