import type { Log } from '../../telemetry/log.ts';
import { connectionsFor, openFilesFor } from '../connection-limit.ts';

/** Keeps `notes` in step with whether the system allows the configured number of client connections. */
export class ConnectionNote {
  readonly #notes: string[];
  readonly #log: Pick<Log, 'warn'>;
  readonly #openFiles: number | undefined;
  #shown: string | undefined;
  #isStarted = false;

  constructor(notes: string[], log: Pick<Log, 'warn'>, openFiles: number | undefined) {
    this.#notes = notes;
    this.#log = log;
    this.#openFiles = openFiles;
  }

  /** @param most `server.max_connections` @param processes number of processes that serve */
  update(most: number, processes: number): void {
    const note = connectionNote(most, processes, this.#openFiles);
    const isLogged = this.#isStarted;
    this.#isStarted = true;
    if (note === this.#shown) return;
    const at = this.#shown === undefined ? -1 : this.#notes.indexOf(this.#shown);
    if (at >= 0) this.#notes.splice(at, 1);
    this.#shown = note;
    if (note === undefined) return;
    this.#notes.push(note);
    // The line of the start has all notes.
    if (isLogged) this.#log.warn({}, note);
  }
}

/** Undefined if the system allows so many connections. */
function connectionNote(most: number, processes: number, openFiles: number | undefined): string | undefined {
  const share = Math.ceil(most / processes);
  const fitting = connectionsFor(openFiles);
  if (openFiles === undefined || share <= fitting) return undefined;
  const [each, accepted] = processes === 1 ? ['it', fitting] : ['each process', fitting * processes];
  return `The gateway accepts ${accepted} client connections, not ${most} (server.max_connections), because ${each} may open only ${openFiles} files. Raise that limit to ${openFilesFor(share)} (ulimit -n, LimitNOFILE of systemd).`;
}
