import type { AdminEntry } from '../../config/schema/index.ts';
import {
  defaultAdminListen,
  isLoopback,
  type ListenAddress,
  listenAddress,
  type ListenSetting,
  listenText,
} from '../../core/http/listen-address.ts';
import type { MetricsPage } from '../../transport/inbound/metrics-page.ts';
import type { AdminState } from './state.ts';
import type { Control } from './control.ts';
import { openListener } from '../open-listener.ts';
import { type GatewayOptions, StartError } from '../types.ts';

export interface AdminDeps {
  readonly options: GatewayOptions;
  readonly control: Control;
  /** State directory of this process; undefined without storage on disk. */
  readonly stateDir: string | undefined;
  readonly metrics: MetricsPage;
  /** Registers a function that closes a resource. They run in reverse order. */
  onOpened(close: () => Promise<void> | void): void;
}

/** Address of the admin listener: from the flag, else the configuration, else the default. */
export function adminListen({ adminListen: flag }: GatewayOptions, entry: AdminEntry | undefined): ListenSetting {
  return flag ?? entry?.listen ?? defaultAdminListen;
}

/** Reason why the admin listener must not be opened; undefined if it may. Also checked before a reload is applied. */
export function adminExposure(listen: ListenSetting, entry: AdminEntry = {}): StartError | undefined {
  const address = listenAddress(listen);
  if (address === undefined || isLoopback(address)) return undefined;
  const shown = listenText(listen);
  if (entry.open === true)
    return new StartError({
      exitCode: 3,
      message: `server.admin.open is set, and the admin listener ${shown} is reachable from other hosts: anyone on the network could read your requests`,
      hint: 'Remove server.admin.open, or listen on 127.0.0.1.',
    });
  if (entry.token !== undefined || Object.keys(entry.users ?? {}).length > 0) return undefined;
  return new StartError({
    exitCode: 3,
    message: `the admin listener ${shown} is reachable from other hosts, and neither server.admin.token nor server.admin.users is set`,
    hint: 'Set server.admin.token: ${file:/run/secrets/admin-token}, or listen on 127.0.0.1.',
  });
}

/**
 * Opens the admin listener. An explicitly configured address must be free. If the default address is in use, the
 * gateway runs without a dashboard and logs a warning.
 *
 * @throws StartError
 */
export async function openAdmin(deps: AdminDeps): Promise<AdminState> {
  const { options, control } = deps;
  const entry = control.settings();
  const setting = adminListen(options, entry);
  const isConfigured = options.adminListen !== undefined || entry.listen !== undefined;
  const exposure = adminExposure(setting, entry);
  if (exposure !== undefined) throw exposure;
  try {
    return await open(deps, setting, entry);
  } catch (error) {
    if (isConfigured || !(error instanceof StartError)) throw error;
    const { message, hint } = error;
    options.log.warn({ listen: listenText(setting), reason: message, hint }, 'the dashboard is not served');
    return { fault: `${message} ${hint ?? ''}`.trim() };
  }
}

async function open(
  { options, control, stateDir, metrics, onOpened }: AdminDeps,
  setting: ListenSetting,
  entry: AdminEntry,
): Promise<AdminState> {
  // Imported on demand: a gateway without an admin listener does not pay for it.
  const { startAdmin } = await import('../../admin/start.ts');
  const address = listenAddress(setting);
  const { server, link, canSignIn } = startAdmin({
    subject: control,
    isLoopback: address === undefined || isLoopback(address),
    cookieName: `gateway_admin_${portOf(address)}`,
    stateDir: entry.token === undefined ? stateDir : undefined,
    metrics,
    onTokenFault: (error) => options.log.warn({ err: error }, 'the admin token could not be written to the state directory'),
  });
  const { url, release } = await openListener(server, setting, '--admin-listen');
  server.on('error', (error) => options.log.warn({ err: error }, 'a connection to the admin listener could not be accepted'));
  onOpened(() => control.close());
  onOpened(release);
  onOpened(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, link: () => (url.startsWith('unix:') ? undefined : `${url}/#t=${link()}`), canSignIn };
}

const portOf = (address: ListenAddress | undefined): string => (address !== undefined && 'port' in address ? String(address.port) : 'unix');
