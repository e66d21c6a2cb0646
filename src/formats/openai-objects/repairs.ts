import { JsonBody } from '../../core/json/body.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import type { Call } from '../../core/provider.ts';
import { parseObject, listOf } from '../shared/json.ts';
import { wrapList } from '../shared/response/json-tap.ts';
import { deletedFile } from './objects.ts';

type Repair = (text: string, call: Call) => string | undefined;

/** Adds what some services of the OpenAI format omit although clients rely on it. Everything else is passed unchanged. */
export const repairs: ReadonlyMap<Endpoint, Repair> = new Map<Endpoint, Repair>([
  // Together AI.
  ['models', wrapList],
  ['fine_tuning/jobs/{id}/checkpoints', withCursors],
  ['files/{id}/delete', (text, call) => (text === '' ? JSON.stringify(deletedFile(call.params['id'] ?? '')) : undefined)],
]);

/** Completes the wrapper of a page, including the ids of its first and last row. Adds only missing members. */
function withCursors(text: string): string | undefined {
  const page = parseObject(text);
  if (page === undefined) return undefined;
  const rows = listOf(page['data']);
  const idAt = (at: number): unknown => (rows.at(at) as { id?: unknown } | null | undefined)?.id ?? null;
  const whole = { object: 'list', data: rows, first_id: idAt(0), last_id: idAt(-1), has_more: false };
  const missing = Object.entries(whole).filter(([key, value]) => (page[key] ?? null) === null && !(value === null && key in page));
  if (missing.length === 0) return undefined;
  return JsonBody.from(Buffer.from(text, 'utf8')).edit(new Map(missing)).bytes().toString('utf8');
}
