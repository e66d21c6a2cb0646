import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { FormBody } from '#core/http/form.ts';
import type { Call, OldOperation, UpstreamRequest } from '#core/provider.ts';
import { WholeTap } from '#formats/shared/json-tap.ts';
import type { VertexSettings } from '../settings.ts';
import { fileOf, type FileNotes, type FileObject, rowOf } from './file-object.ts';
import { UploadLines } from './line-kinds.ts';
import { fileRules } from './rules.ts';
import type { StoredObject } from './object-id.ts';
import { fileNameOf, folderOf } from './object-name.ts';
import { bucketOf, filesPrefix, type Storage, storageHeaders } from './storage.ts';

type VertexCall = Call<VertexSettings>;

/** One upload in progress. */
interface Upload {
  readonly object: StoredObject;
  readonly form: FormBody;
  /** Absent for files that are none of lines: their bytes pass. */
  readonly lines: UploadLines | undefined;
}

/** Purposes of files whose lines are the service's business; everything else that is said keeps its bytes. */
const ofLines: ReadonlySet<string> = new Set(['batch', 'fine-tune']);

/**
 * Uploads a file to object storage, written anew line by line where it is for a batch or for tuning. A second request notes its purpose and model, which may come behind the file or stand in its lines.
 */
export function upload(to: Storage): OldOperation<VertexSettings> {
  // What the file's lines told is known after they were sent: kept by the call that both requests belong to.
  const uploads = new WeakMap<object, Upload>();
  return {
    request(_body, call) {
      const one = uploadOf(call);
      uploads.set(call, one);
      return {
        ...to.upload(call, one.object),
        method: 'POST',
        headers: storageHeaders(call),
        body: { kind: 'file', form: one.form, line: one.lines?.edit },
        dropped: [],
      };
    },
    then(replies, call) {
      const one = uploads.get(call);
      return one === undefined || replies.length > 1 ? undefined : noteRequest(to, call, one);
    },
    recover: (replies, call) => stored(replies[0]?.text ?? '', call, uploads.get(call)),
    tap: () => new WholeTap(),
    result: (text, call, _answer, earlier) => stored(earlier?.[0]?.text ?? text, call, uploads.get(call)),
  };
}

function uploadOf(call: VertexCall): Upload {
  const { form } = call;
  if (form?.file === undefined) {
    throw new GatewayError('missing_required_parameter', {
      message: 'The form contains no file.',
      param: 'file',
      hint: 'Send multipart/form-data with a field "file".',
    });
  }
  const name = fileNameOf(form.file.filename);
  const purpose = saidPurpose(call, form);
  const isOfLines = purpose === undefined ? name.toLowerCase().endsWith('.jsonl') : ofLines.has(purpose);
  return {
    object: { bucket: bucketOf(call), name: `${filesPrefix}${folderOf(call)}/${name}` },
    form,
    lines: isOfLines ? new UploadLines(call.settings, purpose, fileRules(call)) : undefined,
  };
}

/** What the form says, as far as it was read, else the header. */
function saidPurpose(call: VertexCall, form: FormBody): string | undefined {
  const said = form.fields.get('purpose') ?? call.header('file-purpose');
  return said === undefined || said === '' ? undefined : said;
}

/** By now the form was read to its end. */
function notesFor({ form, lines }: Upload, call: VertexCall): FileNotes {
  return { ...lines?.notes, purpose: saidPurpose(call, form) ?? lines?.notes.purpose };
}

function noteRequest(to: Storage, call: VertexCall, one: Upload): UpstreamRequest | undefined {
  const { purpose, model, endpoint } = notesFor(one, call);
  const dropped = one.lines?.dropped ?? [];
  const metadata = { ...(purpose && { purpose }), ...(model && { model }), ...(endpoint && { endpoint }) };
  if (Object.keys(metadata).length === 0 && dropped.length === 0) return undefined;
  return {
    ...to.object(call, one.object),
    method: 'PATCH',
    headers: [...storageHeaders(call), 'content-type', 'application/json'],
    body: JsonBody.of({ metadata }),
    dropped,
  };
}

/** The object as the upload's own answer tells it, with the purpose that was noted since. */
function stored(text: string, call: VertexCall, one: Upload | undefined): FileObject {
  const fallback = one === undefined ? undefined : { object: one.object, createdAt: call.createdAt };
  const file = fileOf(rowOf(text), fallback);
  if (file === undefined) throw new GatewayError('upstream_invalid', { message: 'The response names no object.', source: 'provider' });
  const purpose = one === undefined ? undefined : notesFor(one, call).purpose;
  return purpose === undefined ? file : { ...file, purpose };
}
