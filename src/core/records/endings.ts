import type { LogRecord } from './record.ts';

/** How the response ended, for display. */
export const endings: Readonly<Record<LogRecord['end'], string>> = {
  whole: 'done',
  fault: 'ended with an error',
  client_gone: 'the client disconnected',
  drained: 'ended by shutdown',
};
