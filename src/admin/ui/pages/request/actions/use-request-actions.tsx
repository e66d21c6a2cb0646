import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Status } from '../../../../api-types.ts';
import { curlOf } from '../../../../../core/logs/curl.ts';
import type { BodyPart, StoredRecord } from '../../../../../core/logs/reader.ts';
import { get, getBytes } from '../../../browser/api.ts';
import { toApiError } from '../../../browser/load.ts';
import { copy, notify } from '../../../browser/notify.ts';
import { hasRole } from '../../../browser/session.ts';
import { useShortcuts } from '../../../browser/shortcuts.ts';
import { originOf } from '../../../log/terms.ts';
import { isBodyStored } from '../bodies/use-body.ts';
import { ExplainDialog } from './explain.tsx';
import { actionKeys } from './keys.ts';
import { ReplayDialog } from './replay.tsx';

/** A body that is stored and that the user may see. */
export async function bodyOf(stored: StoredRecord, part: BodyPart): Promise<Uint8Array | undefined> {
  if (!isBodyStored(stored, part) || !hasRole('operator')) return undefined;
  return getBytes(`/api/requests/${encodeURIComponent(stored.record.id)}/body`, { part });
}

async function copyCurl(stored: StoredRecord): Promise<void> {
  const { url, header_prefixes: headerPrefixes } = await get<Status>('/api/status');
  await copy(curlOf(stored.record, { url: originOf(url), headerPrefixes }, await bodyOf(stored, 'request')), 'command');
}

export const notifyFailure = (work: Promise<void>): void => void work.catch((error: unknown) => notify(toApiError(error).message, 'bad'));

interface RequestActions {
  readonly copyCurl: () => void;
  readonly explain: () => void;
  readonly replay: () => void;
  /** The open dialog, if there is one. */
  readonly dialog: ComponentChildren;
}

/** What can be done with one request, also by keyboard. Without an id the keys do nothing, and are only listed. */
export function useRequestActions(id: string | undefined, load: (id: string) => Promise<StoredRecord>): RequestActions {
  const [dialog, setDialog] = useState<{ readonly id: string; readonly replayed?: StoredRecord }>();
  const close = (): void => setDialog(undefined);
  const withRecord = (act: (stored: StoredRecord) => Promise<void> | void) => (): void =>
    notifyFailure(load(id ?? '').then((stored) => act(stored)));
  const actions = {
    copyId: () => notifyFailure(copy(id ?? '', 'request id')),
    copyCurl: withRecord(copyCurl),
    explain: () => setDialog({ id: id ?? '' }),
    replay: withRecord((stored) => setDialog({ id: stored.record.id, replayed: stored })),
  };
  useShortcuts(actionKeys(id === undefined ? {} : actions));
  return {
    ...actions,
    dialog:
      dialog === undefined ? null : dialog.replayed === undefined ? (
        <ExplainDialog id={dialog.id} onClose={close} />
      ) : (
        <ReplayDialog stored={dialog.replayed} onClose={close} />
      ),
  };
}
