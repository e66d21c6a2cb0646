import { GatewayError } from '../../../core/error.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { type AdminRoute, isSet, logsOf } from '../route.ts';
import { jsonReply } from './log-reply.ts';
import { mayReadContent } from './content.ts';

const maxIds = 50;
/** Maximum response size, in bytes: the caller requests the rest again. */
const maxResponseBytes = 8 * 1024 * 1024;

/** For commands that read a thousand records: with one call per record, they would use up a user's rate limit for a minute. */
export const readRoute: AdminRoute = {
  method: 'POST',
  path: '/api/requests/read',
  role: 'viewer',
  about: 'Several records in the order of their ids; deleted records are left out.',
  body: {
    ids: `at most ${maxIds} ids`,
    bodies: 'true: also returns the stored bodies of the requests; needs the role operator',
  },
  returns: '`StoredRecords`',
  handle: async (call) => {
    const body = await call.body();
    const ids = idsIn(body);
    const hasBodies = isSet(body, 'bodies');
    if (hasBodies && !mayReadContent(call.user))
      throw new GatewayError('not_allowed', { message: 'Bodies need the role operator.', param: 'bodies' });
    const logs = logsOf(call);
    const pieces: Uint8Array[] = [];
    let size = 0;
    let next: string | null = null;
    for (const id of ids) {
      if (size > maxResponseBytes) {
        next = id;
        break;
      }
      const stored = await logs.json(['get', id], { isBare: !mayReadContent(call.user) });
      if (stored === undefined) continue;
      const bytes = hasBodies ? await logs.body(id, 'request') : undefined;
      const rest = `,"request":${bytes === undefined ? 'null' : `"${Buffer.from(bytes).toString('base64')}"`}}`;
      pieces.push(Buffer.from(size === 0 ? '{"stored":' : ',{"stored":'), stored, Buffer.from(rest));
      size += stored.length + rest.length;
    }
    return jsonReply(Buffer.concat([Buffer.from('{"records":['), ...pieces, Buffer.from(`],"next":${JSON.stringify(next)}}\n`)]));
  },
};

function idsIn({ ids }: JsonObject): readonly string[] {
  if (Array.isArray(ids) && ids.length <= maxIds && ids.every((id) => typeof id === 'string')) return ids;
  throw new GatewayError('invalid_value', { message: `"ids" is not a list of at most ${maxIds} strings.`, param: 'ids' });
}
