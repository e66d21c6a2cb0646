import { storedSignal } from '../../../browser/stored-signal.ts';

/** Texts by path. */
type Drafts = Readonly<Record<string, string>>;

const isDrafts = (value: unknown): value is Drafts =>
  typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');

/** Unsaved texts of the plan. They are kept until the browser tab is closed or the user signs out. */
export const drafts = storedSignal<Drafts>('drafts', {}, isDrafts, 'tab');
