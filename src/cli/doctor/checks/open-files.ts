import { availableParallelism } from 'node:os';
import { maxConnectionsOf } from '../../../config/compile/server.ts';
import { connectionsFor, openFilesFor } from '../../../gateway/connection-limit.ts';
import { type Check, ok, skip, warn } from '../result.ts';

/** The limit of open files, compared with what `server.max_connections` needs. */
export const checkOpenFiles: Check = ({ config, machine: { openFiles } }) => {
  if (openFiles === undefined) return [skip('open files: this system does not show its limit')];
  const server = config?.loaded.tree?.server;
  const processes = server?.workers === 'auto' ? availableParallelism() : Number(server?.workers ?? 1);
  const connections = maxConnectionsOf(server);
  const needed = openFilesFor(Math.ceil(connections / processes));
  const message = `a process may open ${openFiles} files; ${connections} client connections need ${needed}`;
  if (needed <= openFiles) return [ok(message)];
  return [
    warn(message, `ulimit -n ${needed} or LimitNOFILE=${needed}, or server.max_connections: ${connectionsFor(openFiles) * processes}`),
  ];
};
