import { compileRequestLog } from '../../config/compile/logging/request-log.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import type { ObjectOwners } from '../../core/objects/owners.ts';
import type { RecordStore } from '../../store/frame.ts';
import type { OwnerTable } from '../../store/object-owners.ts';
import {
  lockedHint,
  openStateDir,
  type StateDir,
  StateDirError,
  StateDirLocked,
  stateDirPath,
  type StateDirRequest,
} from '../../store/state-dir.ts';
import { type OpenedLog, openLog } from '../log/open.ts';
import type { RequestLog } from '../log/request-log.ts';
import { type GatewayOptions, StartError } from '../types.ts';
import { openObjectOwners, ownersFolder } from './object-owners.ts';

export interface StorageDeps {
  readonly options: GatewayOptions;
  /** Current deviations from the configuration, one sentence each. Updated while the gateway runs. */
  readonly notes: string[];
  readonly monotonic: () => number;
  /** Registers a function that closes a resource. They run in reverse order. */
  onOpened(close: () => Promise<void> | void): void;
}

/** Persistent state of a gateway: its state directory, the request log, the table of object owners. */
export class Storage {
  readonly #deps: StorageDeps;
  /** From the first active configuration: a reload can't move the state directory. */
  #request: StateDirRequest | undefined;
  #isOpen = false;
  #dir: string | undefined;
  #logs: RequestLog | undefined;
  #owners: OwnerTable | undefined;

  constructor(deps: StorageDeps) {
    this.#deps = deps;
  }

  /** Path of the state directory; undefined without storage on disk, or before it is opened. */
  get dir(): string | undefined {
    return this.#dir;
  }

  /** Undefined if no records are kept. */
  get logs(): RequestLog | undefined {
    return this.#logs;
  }

  /**
   * Sets the location of the state directory until one is opened: an earlier configuration that failed may have named
   * another one. Opens nothing.
   */
  locate({ tree }: ValidConfig): void {
    if (this.#isOpen) return;
    this.closeOwners();
    const { source, cwd, stateDir } = this.#deps.options;
    this.#request = {
      setting: stateDir ?? tree.server?.state_dir,
      configPath: 'path' in source ? source.path : undefined,
      cwd,
      isRequired: tree.server?.state_dir_required,
      isShared: tree.server?.state_dir_shared,
    };
  }

  /**
   * Opens the state directory and the request log.
   *
   * @param workersStore with worker processes: the store that represents their spools
   * @throws StartError
   */
  openLog({ tree }: ValidConfig, workersStore?: RecordStore): OpenedLog {
    const { options, notes, monotonic, onOpened } = this.#deps;
    const state = openState(this.#located());
    if (state.kind === 'disk') {
      this.#dir = stateDirPath(this.#located());
      onOpened(() => state.release());
    }
    const opened = openLog({
      workersStore: workersStore,
      state,
      settings: compileRequestLog(tree.logging),
      log: options.log,
      monotonic,
      notes,
    });
    this.#logs = opened.reader;
    this.#isOpen = true;
    onOpened(opened.close);
    return opened;
  }

  /** Applies the retention of a new configuration to the request log. */
  keep({ tree }: ValidConfig): void {
    this.#logs?.keep(compileRequestLog(tree.logging).retention);
  }

  async owners(): Promise<ObjectOwners> {
    this.#owners ??= await openObjectOwners(stateDirPath(this.#located()), this.#deps.options.log);
    return this.#owners;
  }

  closeOwners(): void {
    this.#owners?.close();
    this.#owners = undefined;
  }

  /** Directory where worker processes share the table of owners; undefined if each has its own. */
  ownersFolder(): string | undefined {
    const { dir, remove } = ownersFolder(this.#located());
    this.#deps.onOpened(remove);
    return dir;
  }

  #located(): StateDirRequest {
    if (this.#request === undefined) throw new Error('the state directory is used before `locate` was called');
    return this.#request;
  }
}

/** @throws StartError */
function openState(request: StateDirRequest): StateDir {
  try {
    return openStateDir(request);
  } catch (error) {
    if (error instanceof StateDirLocked) throw new StartError({ exitCode: 1, message: error.message, hint: lockedHint });
    if (error instanceof StateDirError)
      throw new StartError({
        exitCode: 3,
        message: error.message,
        hint: 'make the folder writable, or remove state_dir_required to keep records in memory only',
      });
    throw error;
  }
}
