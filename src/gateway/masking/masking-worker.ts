import { parentPort } from 'node:worker_threads';
import { compileFinder } from '../../config/validate/regex.ts';
import { createCollector } from '../../core/memory/collector.ts';
import { maskBody } from '../../core/redaction/bodies.ts';
import { BodyRedactor } from '../../core/redaction/index.ts';
import { createSequence, serveThreadCalls } from '../../store/log/rpc/protocol.ts';
import { type PostedJob, type PostedMasked, type PostedRules, toPosted, toUnmaskedBody } from './messages.ts';

const collector = createCollector();
let redactor: BodyRedactor | undefined;

function redactorOf({ rules, secrets, own }: PostedRules): BodyRedactor {
  const compiled = own.map((source) => {
    const finder = compileFinder(source);
    if ('error' in finder) throw new Error(finder.error);
    return finder;
  });
  return new BodyRedactor({ ...rules, own: compiled }, secrets);
}

function mask({ rules, limit, bodies }: PostedJob): PostedMasked {
  if (rules !== undefined) redactor = redactorOf(rules);
  if (redactor === undefined) throw new Error('a body came before the rules');
  const redaction = redactor.begin(limit);
  for (const { bytes } of bodies) collector(bytes.length);
  return toPosted(
    bodies.map((body) => maskBody(redaction, toUnmaskedBody(body, limit))),
    redaction.counts,
  );
}

if (parentPort === null) throw new Error('this file must run as a worker thread');
// Warnings of this thread would appear as log lines of the gateway.
process.removeAllListeners('warning');
serveThreadCalls(parentPort, { mask }, createSequence());
