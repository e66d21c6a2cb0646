import type { Log } from '../../telemetry/log.ts';
import { connectionsFor, openFilesFor } from '../connection-limit.ts';
import { CurrentProblems } from '../observe/current-problems.ts';

/** Keeps `notes` in step with whether the system allows the configured number of client connections. */
export class ConnectionNote {
  readonly #problems: CurrentProblems;
  readonly #log: Pick<Log, 'warn'>;
  readonly #openFiles: number | undefined;
  #isStarted = false;

  constructor(notes: string[], log: Pick<Log, 'warn'>, openFiles: number | undefined) {
    this.#problems = new CurrentProblems([notes]);
    this.#log = log;
    this.#openFiles = openFiles;
  }

  /** @param most `server.max_connections` @param processes number of processes that serve */
  update(most: number, processes: number): void {
    const note = connectionNote(most, processes, this.#openFiles);
    const isLogged = this.#isStarted;
    this.#isStarted = true;
    if (note === this.#problems.shown[0]) return;
    this.#problems.show(note === undefined ? [] : [note]);
    // The line of the start has all notes.
    if (isLogged && note !== undefined) this.#log.warn({}, note);
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
