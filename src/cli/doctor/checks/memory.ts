import { availableParallelism } from 'node:os';
import { sizeOf } from '../../../config/compile/server.ts';
import { formatSize } from '../../../core/text/units.ts';
import { defaultMemory } from '../../../gateway/default-memory.ts';
import { type Check, ok, warn } from '../result.ts';

const mebibyte = 1024 * 1024;
/** What a process needs besides the bodies of requests, in bytes (docs/running.md, "Memory"). */
const base = 256 * mebibyte;

/** The memory limit of the container, compared with what the gateway needs: twice `server.memory`, and a base for each process. */
export const checkMemory: Check = ({ config, machine }) => {
  const { memoryLimit, memory: total } = machine;
  const available = memoryLimit ?? total;
  const server = config?.loaded.tree?.server;
  const processes = server?.workers === 'auto' ? availableParallelism() : Number(server?.workers ?? 1);
  const written = sizeOf(server?.memory);
  const budget = written ?? defaultMemory(available);
  const needed = 2 * budget + base * processes;
  const limitText =
    memoryLimit === undefined ? `${formatSize(total)} of memory, no container limit` : `memory limit ${formatSize(available)}`;
  const message = `${limitText}; the gateway needs up to ${formatSize(needed)}`;
  if (needed <= available) return [ok(message)];
  // Without `server.memory`, the budget is a quarter of the limit.
  const enough = written === undefined ? 2 * base * processes : needed;
  const fitting = Math.floor((available - base * processes) / 2 / mebibyte);
  const lower = fitting < 16 ? '' : `, or server.memory: ${fitting}MB`;
  return [warn(message, `${memoryLimit === undefined ? 'a machine with' : 'a limit of'} ${formatSize(enough)}${lower}`)];
};
