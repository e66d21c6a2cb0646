import type { DialectName } from '#core/endpoint.ts';
import { isJsonObject } from '#core/json/merge.ts';
import type { KnownModel } from '#core/known-models/of-provider.ts';
import type { Reply } from '#core/plan.ts';

interface ModelList {
  readonly [name: string]: unknown;
  readonly data: readonly ModelRow[];
}

interface ModelRow {
  readonly [name: string]: unknown;
  readonly id: string;
}

/** The list of models in the format of the caller's API. */
export function listReply(models: readonly KnownModel[], dialect: DialectName): Reply {
  const list = { object: 'list', data: models.map(rowOf) };
  return replyWith(dialect === 'messages' ? toMessagesList(list, messagesRow) : list);
}

export function modelReply(model: KnownModel, dialect: DialectName): Reply {
  const row = rowOf(model);
  return replyWith(dialect === 'messages' ? messagesRow(row) : row);
}

/** Converts a provider's list for callers of the messages API. Rows keep their fields. */
export function messagesList(list: ModelList): object {
  const { has_more: hasMore, last_id: lastId } = list;
  const converted = toMessagesList(list, (row) => ({ ...row, ...messagesRow(row), ...definedFields(row) }));
  // The next page begins behind the provider's last row, which the caller may not have got.
  return hasMore === true && typeof lastId === 'string' ? { ...converted, has_more: true, last_id: lastId } : converted;
}

function toMessagesList({ data }: ModelList, row: (row: ModelRow) => object): object {
  return { data: data.map(row), has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

const rowOf = ({ id, owner }: KnownModel): ModelRow => ({ id, object: 'model', created: 0, owned_by: owner });

/** The release date of a model in the file is unknown, but client libraries expect a date. */
function messagesRow({ id, created }: ModelRow): object {
  const at = new Date(typeof created === 'number' ? created * 1000 : 0);
  return { type: 'model', id, display_name: id, created_at: Number.isNaN(at.getTime()) ? unknownDate : at.toISOString() };
}

const unknownDate = new Date(0).toISOString();

const definedFields = (row: ModelRow): object =>
  Object.fromEntries(['display_name', 'created_at'].flatMap((name) => (typeof row[name] === 'string' ? [[name, row[name]]] : [])));

export const isRow = (row: unknown): row is ModelRow => isJsonObject(row) && typeof row['id'] === 'string';

function replyWith(body: object): Reply {
  return { status: 200, headers: [], body: Buffer.from(JSON.stringify(body), 'utf8'), flow: undefined };
}
