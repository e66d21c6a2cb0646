import { flushCompileCache } from 'node:module';
import { providers, stages } from '../../../plugins/index.ts';
import { serveAsWorker } from '../../gateway/workers/child/serve.ts';
import { createLog } from '../../telemetry/log.ts';
import { clockTime, requestLine } from './request-line.ts';

/** A worker process of `gateway start` with `server.workers`. */
serveAsWorker({
  registry: { providers, stages },
  openLog: ({ level, format, colors }) =>
    createLog({
      level,
      format,
      stdout: process.stdout,
      colors,
      now: Date.now,
      clockTime,
      requestLine: (record) => requestLine(record, { colors, clockTime }),
    }),
});
flushCompileCache();
