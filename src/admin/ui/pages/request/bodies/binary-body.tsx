import type { BodyPart, StoredRecord } from '../../../../../core/logs/reader.ts';
import { addressOf } from '../../../browser/api.ts';
import { bytes } from '../../../browser/format.ts';
import { Empty } from '../../../components/display.tsx';
import { Icon } from '../../../components/icon.tsx';

/** Shown for a body that is not text, such as audio, images and uploads: its size, its type and a download link. */
export function BinaryBody({ stored: { record }, part, size }: { stored: StoredRecord; part: BodyPart; size: number }) {
  const type = record[part].headers['content-type'] ?? 'of an unknown type';
  return (
    <Empty icon="info" title="This body is not text">
      <p>
        {bytes(size)}, {type}.
      </p>
      <a class="button" href={addressOf(`/api/requests/${encodeURIComponent(record.id)}/body`, { part })} download={`${record.id}-${part}`}>
        <Icon name="download" />
        Save it
      </a>
    </Empty>
  );
}
