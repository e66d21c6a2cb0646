import type { Subject } from './subject.ts';

/** Result of a check. `skip`: the check cannot run here. */
export interface CheckResult {
  readonly state: 'ok' | 'warn' | 'fail' | 'skip';
  /** One phrase without a full stop. */
  readonly says: string;
  /** What to do; absent if all is well. */
  readonly fix?: string | undefined;
}

/** A line of the report. In JSON `fix` is null if there is none. */
export interface Finding extends Required<Pick<CheckResult, 'state' | 'says'>> {
  readonly check: string;
  readonly fix: string | null;
}

/** Never changes anything that lasts. May reject: the check is then shown as one that cannot run. */
export type Check = (subject: Subject) => Promise<readonly CheckResult[]> | readonly CheckResult[];

export const ok = (says: string): CheckResult => ({ state: 'ok', says });
export const skip = (says: string): CheckResult => ({ state: 'skip', says });
export const warn = (says: string, fix: string | undefined): CheckResult => ({ state: 'warn', says, fix });
export const fail = (says: string, fix: string | undefined): CheckResult => ({ state: 'fail', says, fix });
