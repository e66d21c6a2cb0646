import { parseListen } from '../../core/http/listen-address.ts';
import { maxWorkers } from '../../gateway/workers/count.ts';
import { CommandError, exitCodes } from '../command.ts';

/** Makes a check of an address on the command line. The check throws a CommandError for wrong usage. */
export function listenFlag(flag: string): (text: string) => string {
  return (text) => {
    if (parseListen(text) !== undefined) return text;
    throw new CommandError(exitCodes.usage, `"${text}" is not an address to listen on`, `Write host:port or unix:/path (${flag}).`);
  };
}

/** Checks `--workers`. @throws CommandError */
export function workersFlag(text: string): string {
  if (text === 'auto' || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= maxWorkers)) return text;
  throw new CommandError(
    exitCodes.usage,
    `"${text}" is not a number of workers`,
    `Write a number from 1 to ${maxWorkers}, or auto (--workers).`,
  );
}
