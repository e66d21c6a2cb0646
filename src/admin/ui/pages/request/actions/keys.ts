import { hasRole } from '../../../browser/session.ts';
import type { Shortcut } from '../../../browser/shortcuts.ts';

type Action = 'copyId' | 'copyCurl' | 'explain' | 'replay';

const group = 'Open or selected request';
const keys: Readonly<Record<Action, Pick<Shortcut, 'keys' | 'does'>>> = {
  copyId: { keys: 'y', does: 'copy the request id' },
  copyCurl: { keys: 'Y', does: 'copy as curl' },
  explain: { keys: 'e', does: 'explain it under the current configuration' },
  replay: { keys: 'r', does: 'replay it' },
};
const forOperators: readonly Action[] = ['explain', 'replay'];

/** Shortcuts of one request. @param run the actions; without one, the key is only listed */
export const actionKeys = (run: Readonly<Partial<Record<Action, () => void>>>): readonly Shortcut[] =>
  (Object.keys(keys) as Action[])
    .filter((action) => !forOperators.includes(action) || hasRole('operator'))
    .map((action) => ({ ...keys[action], group, run: run[action] }));
