import { emptyRecord } from '../../core/records/empty.ts';
import type { Notes } from '../../core/records/record.ts';
import { shrink, shrinkIfNeeded } from './bounds.ts';

export const noNotes: Notes = emptyRecord.notes;

/** Limits of the notes of one plugin about a request. */
const noteLimits = { members: 32, characters: 2048, levels: 4, masks: true } as const;

/** Limits for a request that was not admitted, so that an unknown client can write only a few hundred bytes to the log. */
const unadmittedLimits = { members: 4, characters: 256, levels: 2 } as const;

export const notesOf = ({ notes, isAdmitted }: { readonly notes: Notes; readonly isAdmitted: boolean }): Notes =>
  isAdmitted || notes === noNotes ? notes : (shrinkIfNeeded(notes, unadmittedLimits) as Notes);

/** Returns a copy of the notes with these fields added, limited and masked. The plugin cannot change the copy later. */
export function withNote(notes: Notes, plugin: string, fields: Readonly<Record<string, unknown>>): Notes {
  return { ...notes, [plugin]: shrink({ ...notes[plugin], ...fields }, noteLimits) as Notes[string] };
}
