import { emptyRecord } from '../../core/records/empty.ts';
import type { Notes } from '../../core/records/record.ts';
import type { RequestContext } from '../request.ts';
import { shrink, shrunk } from './bounds.ts';

export const noNotes: Notes = emptyRecord.notes;

/** What one plugin may note of a request. */
const noteLimits = { members: 32, characters: 2048, levels: 4, masks: true } as const;

/** Of a request that was not let in: whoever sends it writes a few hundred bytes to the log, whatever a plugin says. */
const strangerLimits = { members: 4, characters: 256, levels: 2 } as const;

export const notesOf = ({ notes, isAdmitted }: RequestContext): Notes =>
  isAdmitted || notes === noNotes ? notes : (shrunk(notes, strangerLimits) as Notes);

/** The notes with one more: bounded, masked, and a copy, so that the plugin can't change it later. */
export function withNote(notes: Notes, plugin: string, fields: Readonly<Record<string, unknown>>): Notes {
  return { ...notes, [plugin]: shrink({ ...notes[plugin], ...fields }, noteLimits) as Notes[string] };
}
