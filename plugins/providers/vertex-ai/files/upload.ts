import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { FormBody } from '#core/http/form.ts';
import type { Dropped, Operation, UpstreamRequest } from '#core/provider.ts';
import { WholeTap } from '#formats/shared/answer/json-tap.ts';
import type { VertexCall } from '../address.ts';
import type { VertexSettings } from '../settings.ts';
import { fileOf, type FileNotes, type FileObject, rowOf } from './file-object.ts';
import { UploadLines } from './line-kinds.ts';
import { fileNameOf, folderOf, type StoredObject } from './object-id.ts';
import { bucketOf, fileRules, filesPrefix, objectAddress, storageHeaders, uploadAddress } from './storage.ts';

/** One upload in progress. */
interface Upload {
  readonly object: StoredObject;
  readonly form: FormBody;
  /** Undefined for files without lines to convert: their bytes pass unchanged. */
  readonly lines: UploadLines | undefined;
}

/** Purposes of files whose lines are converted. With any other purpose the bytes stay unchanged. */
const ofLines: ReadonlySet<string> = new Set(['batch', 'fine-tune']);

/**
 * Uploads a file to object storage; lines for a batch or for tuning are converted. A second request stores purpose and model,
 * which may follow the file in the form or be in its lines.
 */
export const upload: Operation<VertexSettings> = {
  isConverted: true,
  begin(_body, call) {
    const one = uploadOf(call);
    const { object, form, lines } = one;
    return {
      request: {
        ...uploadAddress(call, object),
        method: 'POST',
        headers: storageHeaders(call),
        body: { kind: 'file', form, line: lines?.edit },
        dropped: [],
      },
      tap: new WholeTap(),
      result: (text) => stored(text, call, one),
      then({ text }) {
        const request = noteRequest(call, one);
        const known = () => stored(text, call, one);
        return request === undefined ? undefined : { request, tap: new WholeTap(), result: known, recover: known };
      },
    };
  },
};

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
  const purpose = purposeOf(call, form);
  const isOfLines = purpose === undefined ? name.toLowerCase().endsWith('.jsonl') : ofLines.has(purpose);
  return {
    object: { bucket: bucketOf(call), name: `${filesPrefix}${folderOf(call)}/${name}` },
    form,
    lines: isOfLines ? new UploadLines(call.settings, purpose, fileRules(call)) : undefined,
  };
}

/** Returns the purpose from the form, as far as it was read, or else from the header. */
function purposeOf(call: VertexCall, form: FormBody): string | undefined {
  const said = form.fields.get('purpose') ?? call.header('file-purpose');
  return said === undefined || said === '' ? undefined : said;
}

/** Called after the form was read completely. */
function notesFor({ form, lines }: Upload, call: VertexCall): FileNotes {
  return { ...lines?.notes, purpose: purposeOf(call, form) ?? lines?.notes.purpose };
}

function noteRequest(call: VertexCall, one: Upload): UpstreamRequest | undefined {
  const { purpose, model, endpoint } = notesFor(one, call);
  const dropped = [...otherFields(one.form), ...(one.lines?.dropped ?? [])];
  const metadata = { ...(purpose && { purpose }), ...(model && { model }), ...(endpoint && { endpoint }) };
  if (Object.keys(metadata).length === 0 && dropped.length === 0) return undefined;
  return {
    ...objectAddress(call, one.object),
    method: 'PATCH',
    headers: [...storageHeaders(call), 'content-type', 'application/json'],
    body: JsonBody.of({ metadata }),
    dropped,
  };
}

/** Form fields that are not used. An expiry, for example, must be set on the bucket. */
const otherFields = ({ fields }: FormBody): readonly Dropped[] =>
  [...fields.keys()].filter((name) => !read.has(name)).map((param) => ({ param, reason: 'the service stores only the file' }));

const read: ReadonlySet<string> = new Set(['file', 'purpose', 'model', 'provider']);

/** The object as described in the response to the upload, with the purpose that was set afterwards. */
function stored(text: string, call: VertexCall, one: Upload): FileObject {
  const file = fileOf(rowOf(text), { object: one.object, createdAt: call.createdAt });
  if (file === undefined) throw new GatewayError('upstream_invalid', { message: 'The response names no object.', source: 'provider' });
  const { purpose } = notesFor(one, call);
  return purpose === undefined ? file : { ...file, purpose };
}
