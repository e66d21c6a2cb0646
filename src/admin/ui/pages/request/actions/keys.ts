import { hasRole } from '../../../browser/session.ts';
import type { Shortcut } from '../../../browser/shortcuts.ts';

type Action = 'copyId' | 'copyCurl' | 'explain' | 'replay';

const group = 'Open request';
const keys: Readonly<Record<Action, Pick<Shortcut, 'keys' | 'does'>>> = {
  copyId: { keys: 'y', does: 'copy the request id' },
  copyCurl: { keys: 'Y', does: 'copy as curl' },
  explain: { keys: 'e', does: 'explain it under the current configuration' },
  replay: { keys: 'r', does: 'replay it' },
};
const forOperators: readonly Action[] = ['explain', 'replay'];

/** Shortcuts of an open request. @param run the actions; undefined if no request is open, so that the keys are only listed */
const shortcutsOf = (run: Readonly<Record<Action, () => void>> | undefined): readonly Shortcut[] =>
  (Object.keys(keys) as Action[])
    .filter((action) => !forOperators.includes(action) || hasRole('operator'))
    .map((action) => ({ ...keys[action], group, run: run?.[action] }));

export const actionKeys = (run: Readonly<Record<Action, () => void>>): readonly Shortcut[] => shortcutsOf(run);
/** Lists the shortcuts even if no request is open. */
export const listedActions = (): readonly Shortcut[] => shortcutsOf(undefined);
