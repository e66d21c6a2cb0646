import type { LocalAnswer } from '#core/provider.ts';
import { paramOf } from '../_shared/address.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { failure, file, type Question, whole } from './answer.ts';
import { contentOf } from './file-content.ts';
import { fileId, fileNamed, givenFile, type MockFile } from './file-ids.ts';
import { isProblem, pageOf } from './pages.ts';
import { badValue, notFound, refusal } from './problems.ts';

/** The files API of the mock. */

export function uploaded(asked: Question): LocalAnswer {
  const { body, call } = asked;
  const { form } = call;
  if (form?.file === undefined)
    return refusal(badValue('missing_required_parameter', 'file', "Missing required parameter: 'file'."), call.id);
  const { filename } = form.file;
  const bytes = form.fileBytes().length ?? form.size ?? form.received;
  const made: MockFile = { createdAt: call.createdAt, purpose: String(body['purpose']), filename: filename ?? 'file', bytes, endpoint: '' };
  return failure(asked) ?? whole(asked, shown(fileId(made), made));
}

/** What is there before anything was uploaded, newest first. */
const given: readonly MockFile[] = [
  givenFile('user_data', 'notes.txt', 3),
  givenFile('fine-tune', 'training.jsonl', 2),
  givenFile('batch', 'requests.jsonl', 1),
  givenFile('assistants', 'handbook.txt', 0),
];

export function listed(asked: Question): LocalAnswer {
  const { call } = asked;
  const purpose = paramOf(call.query, 'purpose');
  const rows = given.filter((one) => purpose === undefined || one.purpose === purpose).map((one) => shown(fileId(one), one));
  const page = pageOf(rows, call.query, { usual: 10_000, most: 10_000, ordered: true });
  return isProblem(page) ? refusal(page, call.id) : whole(asked, listOf(page.rows, page.hasMore));
}

export const retrieved = (asked: Question): LocalAnswer => withFile(asked, (id, found) => whole(asked, shown(id, found)));

export const deleted = (asked: Question): LocalAnswer => withFile(asked, (id) => whole(asked, { id, object: 'file', deleted: true }));

export const content = (asked: Question): LocalAnswer =>
  withFile(asked, (_, found) =>
    file(asked, contentOf(found), /^(?:batch|fine-tune)/.test(found.purpose) ? 'application/jsonl' : 'text/plain; charset=utf-8'),
  );

function withFile({ call }: Question, then: (id: string, found: MockFile) => LocalAnswer): LocalAnswer {
  const id = call.params['id'] ?? '';
  const found = fileNamed(id);
  return found === undefined ? refusal(notFound(null, `No such File object: ${id}`, 'id'), call.id) : then(id, found);
}

const shown = (id: string, { createdAt, purpose, filename, bytes }: MockFile) => ({
  id,
  object: 'file',
  bytes,
  created_at: createdAt,
  filename,
  purpose,
  status: 'processed',
});
