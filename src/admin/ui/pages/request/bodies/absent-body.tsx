import type { ComponentChildren } from 'preact';
import type { EffectiveConfig } from '../../../../api-types.ts';
import type { BodyPart, StoredRecord } from '../../../../../core/logs/reader.ts';
import { get } from '../../../browser/api.ts';
import { bytes } from '../../../browser/format.ts';
import { useLoad } from '../../../browser/load.ts';
import { hasRole } from '../../../browser/session.ts';
import { OriginLabel } from '../../../components/difference.tsx';
import { Empty } from '../../../components/display.tsx';

const names = { request: 'request', upstream: 'upstream request', response: 'response' } as const;

/** A setting as the record contains it: `configs.support.log.bodies`. */
const setting = /^(?:logging|configs|api_keys)\.\S+$/;

/** Explains why a body is missing, and how to change that. */
export function AbsentBody({ stored, part }: { stored: StoredRecord; part: BodyPart }) {
  const { body, why_absent: why } = stored.record[part];
  if (!hasRole('operator'))
    return (
      <Empty icon="info" title="Contents are for operators">
        <p>You are signed in as a viewer. Viewers see everything except contents.</p>
      </Empty>
    );
  const bySetting = why !== null && setting.test(why);
  return (
    <Empty icon="info" title={`The ${names[part]} body is not stored`}>
      {bySetting ? (
        <Setting path={why} stored={stored} />
      ) : (
        <p>
          {why !== null
            ? sentence(why)
            : body === null
              ? 'The message had no body.'
              : 'It is stored as changes to the client’s body, which is not stored completely.'}
        </p>
      )}
      {body !== null && body.size > 0 && <p>Its size was {bytes(body.size)}.</p>}
    </Empty>
  );
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

/** The setting that caused it, its value at that time, and its current location. */
function Setting({ path, stored }: { path: string; stored: StoredRecord }): ComponentChildren {
  const { bodies, revision } = stored.record;
  const { data } = useLoad((signal) => get<EffectiveConfig>('/api/config', { q: path }, signal), [path]);
  const now = data?.values.find((value) => value.path === path);
  const origin = now?.origin ?? 'default';
  const isSample = path.includes('.sample.');
  return (
    <>
      <p>
        <code>{isSample ? `${path}${now === undefined ? '' : `: ${now.value}`}` : `${path}: ${bodies}`}</code>
        {data !== undefined && (origin === 'default' ? ', the default' : ', ')}
        {data !== undefined && origin !== 'default' && <OriginLabel at={origin} />}
      </p>
      {data !== undefined && data.revision !== revision && (
        <p class="small">
          As of revision <code>{revision}</code>; now <code>{data.revision}</code> serves
          {now !== undefined && !isSample && now.value !== bodies && (
            <>
              {' '}
              with <code>{now.value}</code>
            </>
          )}
          .
        </p>
      )}
      {isSample ? (
        <p>The bodies of only a sample of the requests are stored, and this request is not in the sample.</p>
      ) : (
        <p>
          With <code>redacted</code> the bodies of later requests are stored, with secrets and personal data masked.
        </p>
      )}
    </>
  );
}
