import { flushCompileCache } from 'node:module';
import type { Loader } from '../../config/reload/loader.ts';
import { briefDiagnostics } from '../../config/report/diagnostic.ts';
import { defaultListen, isLoopback, listenAddress } from '../../core/http/listen-address.ts';
import { firstModelOf } from '../../core/model/first-model.ts';
import { displayPath } from '../../core/text/display-path.ts';
import { type Gateway, type GatewayEvent, type GatewayOptions, type Registry, StartError, type StartGateway } from '../../gateway/types.ts';
import { startGateway } from '../../gateway/start.ts';
import { DescriptorWriter } from '../../telemetry/descriptor.ts';
import { createLog, type Log, type LogFormat, type LogLevel } from '../../telemetry/log.ts';
import { logProcessWarnings } from '../../telemetry/process-warnings.ts';
import { CommandError, sameFile } from '../command.ts';
import { findConfig } from '../find-config.ts';
import { type CliIo, hasColors } from '../io.ts';
import {
  banner,
  bannerFields,
  type BannerFacts,
  lastGoodText,
  rejectedMessage,
  rejectedText,
  reloadedMessage,
  reloadedText,
} from './banner.ts';
import { clockTime, requestLine } from './request-line.ts';
import { Signals } from './signals.ts';
import { printStartError } from './start-error.ts';
import { untilStopped } from './stop.ts';
import { type TryOut, tryOutConfig } from './try-out.ts';
import { version } from '../../gateway/version.ts';

export interface StartFlags {
  readonly config?: string;
  readonly listen?: string;
  readonly probeListen?: string;
  readonly adminListen?: string;
  /** False with `--no-admin`. */
  readonly admin?: boolean;
  /** A number, or `auto`. */
  readonly workers?: string;
  readonly watch: boolean;
  readonly logFormat?: LogFormat;
  readonly logLevel?: LogLevel;
  readonly allowMissingSecrets?: boolean;
  readonly lastGood?: boolean;
}

interface StartParts {
  readonly serve?: StartGateway;
  /** Prepared in advance. */
  readonly loader?: Loader | undefined;
}

/** Runs the gateway until a signal stops it. Resolves to the exit code. */
export async function start(
  flags: StartFlags,
  io: CliIo,
  registry: Registry,
  { serve = startGateway, loader }: StartParts = {},
): Promise<number> {
  const beganAt = performance.now();
  const signals = new Signals(process);
  const log = openLog(flags, io);
  const defects = watchDefects();
  const closeWarnings = logProcessWarnings(process, log);
  try {
    const session = new Session(flags, io, log, registry);
    const starting = session.options(signals).then((options) => serve({ ...options, loader }));
    const gateway = await Promise.race([gatewayOrStopped(starting, signals), defects.first]);
    if (gateway === undefined) return stoppedEarly(log);
    session.opened(gateway, performance.now() - beganAt);
    // All modules are loaded. Written now, since the process may later be killed, and the next start would have to compile again.
    flushCompileCache();
    defects.close();
    return await untilStopped(gateway, { log, signals, served: () => session.served });
  } catch (error) {
    if (signals.isStopping) return stoppedEarly(log);
    if (error instanceof CommandError) throw error;
    // Written through the log, which masks secrets. Node would print the message unmasked.
    if (!(error instanceof StartError)) {
      log.error({ err: error }, 'an internal error ended the start');
      return 1;
    }
    await log.flush();
    return await explain(error, io, hasColors(io.stderr, io));
  } finally {
    defects.close();
    closeWarnings();
    await log.flush();
    signals.close();
  }
}

/** Watches for uncaught errors during the start: `first` rejects with the first one. */
function watchDefects(): { readonly first: Promise<never>; close(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  process.on('uncaughtException', reject).on('unhandledRejection', reject);
  return { first: promise, close: () => void process.off('uncaughtException', reject).off('unhandledRejection', reject) };
}

/** Time that a stopped start may take to close its resources, in milliseconds. */
const stopTimeoutMs = 2000;

/** The started gateway; undefined if a signal stopped the start and it did not finish in time. */
async function gatewayOrStopped(starting: Promise<Gateway>, { stopped }: Signals): Promise<Gateway | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    void stopped.then(() => (timer = setTimeout(() => resolve(undefined), stopTimeoutMs)));
  });
  try {
    return await Promise.race([starting, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Prints a start error. If standard error is not read, that must not keep the process from exiting. */
async function explain(error: StartError, { stderr }: CliIo, colors: boolean): Promise<number> {
  if (stderr.fd === undefined) return printStartError(error, stderr, colors);
  const writer = new DescriptorWriter(stderr.fd, () => {});
  const code = printStartError(error, writer, colors);
  await writer.flush();
  return code;
}

function stoppedEarly(log: Log): number {
  log.announce('stopped before the gateway was ready', {}, 'stopped');
  return 0;
}

function openLog(flags: StartFlags, io: CliIo): Log {
  const colors = hasColors(io.stdout, io);
  return createLog({
    level: flags.logLevel ?? 'info',
    format: flags.logFormat ?? 'auto',
    stdout: io.stdout,
    colors,
    now: Date.now,
    clockTime,
    requestLine: (record) => requestLine(record, { colors, clockTime }),
  });
}

/** State of one run of `gateway start`: configuration source, gateway, and number of requests. */
class Session {
  served = 0;
  readonly #flags: StartFlags;
  readonly #io: CliIo;
  readonly #log: Log;
  readonly #registry: Registry;
  #tryOut: TryOut | undefined;
  #shown = '';
  /** True if the last valid copy is in use instead of the file. */
  #isCopy = false;
  #gateway: Gateway | undefined;

  constructor(flags: StartFlags, io: CliIo, log: Log, registry: Registry) {
    this.#flags = flags;
    this.#io = io;
    this.#log = log;
    this.#registry = registry;
  }

  async options({ stopped }: Signals): Promise<GatewayOptions> {
    const stop = new AbortController();
    void stopped.then(() => stop.abort());
    const { listen, probeListen, admin, adminListen, workers, watch, allowMissingSecrets, lastGood } = this.#flags;
    const { cwd, env } = this.#io;
    return {
      source: await this.#source(),
      cwd,
      env,
      listen,
      probeListen,
      admin: admin ?? true,
      adminListen,
      workers,
      workerEntry: new URL('./serving-worker.js', import.meta.url),
      watch,
      allowMissingSecrets,
      lastGood,
      log: this.#log,
      registry: this.#registry,
      stop: stop.signal,
      onEvent: (event) => this.#handleEvent(event),
    };
  }

  async #source(): Promise<GatewayOptions['source']> {
    const { cwd, env } = this.#io;
    const found = findConfig(this.#flags.config, this.#io);
    if ('stdin' in found) {
      this.#shown = 'standard input';
      return { text: await this.#io.readStdin(), name: '<stdin>' };
    }
    if ('path' in found) {
      this.#shown = displayPath(found.path, cwd);
      return { path: found.path };
    }
    this.#tryOut = tryOutConfig(env, this.#registry.providers);
    return { text: this.#tryOut.text, name: 'try-out' };
  }

  opened(gateway: Gateway, readyMs: number): void {
    this.#gateway = gateway;
    this.#configureLog(gateway);
    const facts = this.#facts(gateway, readyMs);
    this.#log.announce(banner(facts), bannerFields(facts), 'gateway started');
    this.#warnWithoutSignIn(facts.admin);
  }

  /** Warns if sign-in is impossible: there is no link without a terminal, and no token without a state directory. */
  #warnWithoutSignIn(admin: BannerFacts['admin']): void {
    if (admin === undefined || 'fault' in admin || admin.link !== undefined || admin.canSignIn) return;
    const hint =
      'Set server.admin.token: ${file:/run/secrets/admin-token}, or a server.state_dir that can be written, or start with --no-admin.';
    this.#log.warn({ dashboard: admin.url, hint }, 'nobody can sign in to the dashboard and the admin API: there is no admin token');
  }

  get #checkCommand(): string {
    return sameFile('gateway check', this.#flags);
  }

  #handleEvent(event: GatewayEvent): void {
    // The most frequent events.
    if (event.type === 'request' || event.type === 'requests') {
      this.served += event.type === 'request' ? 1 : event.count;
      return;
    }
    const time = clockTime(Date.now());
    switch (event.type) {
      case 'reloaded': {
        if (this.#gateway !== undefined) this.#configureLog(this.#gateway);
        const { revision, changes, ms, restart } = event;
        const warnings = briefDiagnostics(event.warnings);
        this.#log.announce(
          reloadedText(event, time, this.#checkCommand),
          { revision, changes, ms, restart, warnings },
          reloadedMessage(event),
        );
        return;
      }
      case 'unchanged': {
        const message = event.recovered === true ? 'config valid again' : 'config unchanged';
        this.#log.announce(`${time}  ${message} · revision ${event.revision}`, { revision: event.revision }, message);
        return;
      }
      case 'last-good': {
        this.#isCopy = true;
        const { revision, savedAt, reason } = event;
        const diagnostics = briefDiagnostics(event.diagnostics);
        const fields = { revision, saved_at: savedAt, diagnostics, reason };
        this.#log.announce(
          lastGoodText(event, this.#shown, time, this.#checkCommand),
          fields,
          'config INVALID, serving the last valid copy',
          'error',
        );
        return;
      }
      case 'rejected': {
        const { revision, reason } = event;
        const fields = { revision, diagnostics: briefDiagnostics(event.diagnostics), reason };
        this.#log.announce(rejectedText(event, time, this.#checkCommand), fields, rejectedMessage(event), 'error');
        return;
      }
      default:
        event satisfies never;
    }
  }

  /** Applies level, format and secrets of the current snapshot to the log. Flags take precedence over the file. */
  #configureLog(gateway: Gateway): void {
    const { log } = gateway.snapshot();
    this.#log.configure({
      level: this.#flags.logLevel ?? log.level,
      format: this.#flags.logFormat ?? log.format,
      mask: gateway.mask,
    });
  }

  #facts(gateway: Gateway, readyMs: number): BannerFacts {
    const { loaded } = gateway;
    const { tree, files } = loaded;
    const snapshot = gateway.snapshot();
    const virtualKeys = Object.keys(tree?.virtual_keys ?? {});
    const slugs = [...snapshot.providers.keys()].filter((slug) => !virtualKeys.includes(slug));
    const listen = listenAddress(this.#flags.listen ?? tree?.server?.listen ?? defaultListen);
    const isWatching = this.#flags.watch && files.length > 0;
    return {
      version,
      node: process.version,
      pid: process.pid,
      checkCommand: this.#checkCommand,
      file:
        this.#tryOut === undefined
          ? { shown: this.#shown, included: Math.max(0, files.length - 1), checkedMs: gateway.checkedMs, isCopy: this.#isCopy }
          : undefined,
      revision: loaded.revision,
      warnings: loaded.diagnostics,
      providers: this.#tryOut?.providers ?? slugs.map((slug) => ({ slug })),
      counts: {
        configs: snapshot.configs.size,
        apiKeys: snapshot.apiKeys.size,
        virtualKeys: virtualKeys.length,
        prompts: snapshot.prompts.size,
      },
      pipeline: gateway.steps().map(({ name }) => name),
      url: gateway.url,
      probes: gateway.probes,
      admin: adminOf(gateway, this.#io.stdout.isTTY === true),
      notes: gateway.notes,
      workers: gateway.workers()?.flatMap(({ pid }) => pid ?? []),
      isLoopback: listen === undefined || isLoopback(listen),
      readyMs,
      watching: isWatching ? files.length : undefined,
      model: freeModelOf(gateway),
    };
  }
}

/** Model for a free first request, if requests need no key. */
function freeModelOf(gateway: Gateway): string | undefined {
  const { apiKeys, jwt, providers } = gateway.snapshot();
  if (apiKeys.size > 0 || jwt !== undefined) return undefined;
  return firstModelOf([...providers.values()].filter(({ provider }) => provider.entry.prices === 'none'));
}

/** Includes the one-time link only on a terminal: logs collected elsewhere must not allow anyone to sign in. */
function adminOf({ admin }: Gateway, isTerminal: boolean): BannerFacts['admin'] {
  if (admin === undefined || 'fault' in admin) return admin;
  return { url: admin.url, link: isTerminal ? admin.link() : undefined, canSignIn: admin.canSignIn() };
}
