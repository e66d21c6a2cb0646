import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/**
 * A new name for the draft of a file: in the same folder, so that the last step is a rename, and with a name that no include
 * matches. It is random, because a process that was killed leaves its draft, and in a container the process ID is always the same.
 */
export const draftPath = (file: string): string => join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.draft`);
