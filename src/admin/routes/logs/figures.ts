import { GatewayError } from '../../../core/error.ts';
import type { Dimension } from '../../../core/logs/reader.ts';
import { type AdminRoute, numberIn } from '../route.ts';
import { logReply } from './log-reply.ts';
import { filterOf } from './content.ts';

const dimensions: ReadonlySet<string> = new Set(['status', 'config', 'provider', 'model', 'key', 'endpoint', 'error', 'reason']);

export const figureRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/stats',
    role: 'viewer',
    about: 'Counts, times, tokens and cost, in total, by group and over time.',
    query: {
      q: 'a filter; without `since:` it covers the whole store. A `since:` without `until:` is rounded down to a whole minute; `until:0s` makes it exact',
      by: '`status`, `config`, `provider`, `model`, `key`, `endpoint`, `error`, `reason`, `meta.<key>` or `label.<name>`',
      step: 'seconds of each bucket of the time series, a multiple of 60; without it there is no series',
      top: 'number of groups, 1 to 100 (default 20); all others are combined into `rest`',
    },
    returns: '`Stats`',
    handle: (call) => {
      const { query, user } = call;
      const by = query.get('by') ?? undefined;
      const step = numberIn(query, 'step', 0, [0, 366 * 86_400]);
      if (step % 60 !== 0) throw new GatewayError('invalid_value', { message: '"step" is not a multiple of 60.', param: 'step' });
      const request = {
        query: filterOf(user, query),
        ...(by === undefined || by === '' ? {} : { by: dimensionOf(by) }),
        ...(step === 0 ? {} : { step }),
        top: numberIn(query, 'top', 20, [1, 100]),
      };
      return logReply(call, ['stats', request]);
    },
  },
  {
    method: 'GET',
    path: '/api/suggest',
    role: 'viewer',
    about: 'Suggestions for a position in a filter: fields, then values with their counts.',
    query: { text: 'the whole filter', cursor: 'number of characters before the cursor; default: all' },
    returns: '`Suggestion[]`',
    handle: (call) => {
      const text = call.query.get('text') ?? '';
      const cursor = numberIn(call.query, 'cursor', text.length, [0, text.length]);
      return logReply(call, ['suggest', { text, cursor }]);
    },
  },
  {
    method: 'GET',
    path: '/api/names',
    role: 'viewer',
    about: 'Names of the metadata keys and labels in the records.',
    returns: '`{meta: string[], label: string[]}`',
    handle: (call) => logReply(call, ['names']),
  },
];

/** @throws GatewayError `invalid_value` */
function dimensionOf(text: string): Dimension {
  if (dimensions.has(text) || /^(?:meta|label)\.[^\s]{1,128}$/.test(text)) return text as Dimension;
  throw new GatewayError('invalid_value', {
    message: `"${text.slice(0, 100)}" is not something to group by.`,
    param: 'by',
    hint: `Use one of ${[...dimensions].join(', ')}, meta.<key> or label.<name>.`,
  });
}
