import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { FormBody } from '#core/http/form.ts';
import type { Dropped, Operation, UpstreamRequest } from '#core/provider.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import type { VertexCall } from '../address.ts';
import type { VertexSettings } from '../settings.ts';
import { fileOf, type FileNotes, type FileObject, parseRow } from './file-object.ts';
import { UploadLines } from './upload-lines.ts';
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
const linePurposes: ReadonlySet<string> = new Set(['batch', 'fine-tune']);

/**
 * Uploads a file to object storage; lines for a batch or for tuning are converted. A second request stores purpose and model,
 * which may follow the file in the form or be in its lines.
 */
export const upload: Operation<VertexSettings> = {
  isConverted: true,
  begin(_body, call) {
    const pending = uploadOf(call);
    const { object, form, lines } = pending;
    return {
      request: {
        ...uploadAddress(call, object),
        method: 'POST',
        headers: storageHeaders(call),
        body: { kind: 'file', form, line: lines?.edit },
        dropped: [],
      },
      tap: new OpaqueTap(),
      result: (text) => fileResult(text, call, pending),
      then({ text }) {
        const request = metadataRequest(call, pending);
        const storedFile = () => fileResult(text, call, pending);
        return request === undefined ? undefined : { request, tap: new OpaqueTap(), result: storedFile, recover: storedFile };
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
  const hasLines = purpose === undefined ? name.toLowerCase().endsWith('.jsonl') : linePurposes.has(purpose);
  return {
    object: { bucket: bucketOf(call), name: `${filesPrefix}${folderOf(call)}/${name}` },
    form,
    lines: hasLines ? new UploadLines(call.settings, purpose, fileRules(call)) : undefined,
  };
}

/** Returns the purpose from the form, as far as it was read, or else from the header. */
function purposeOf(call: VertexCall, form: FormBody): string | undefined {
  const purpose = form.fields.get('purpose') ?? call.header('file-purpose');
  return purpose === undefined || purpose === '' ? undefined : purpose;
}

/** Called after the form was read completely. */
function notesFor({ form, lines }: Upload, call: VertexCall): FileNotes {
  return { ...lines?.notes, purpose: purposeOf(call, form) ?? lines?.notes.purpose };
}

function metadataRequest(call: VertexCall, pending: Upload): UpstreamRequest | undefined {
  const { purpose, model, endpoint } = notesFor(pending, call);
  const dropped = [...otherFields(pending.form), ...(pending.lines?.dropped ?? [])];
  const metadata = { ...(purpose && { purpose }), ...(model && { model }), ...(endpoint && { endpoint }) };
  if (Object.keys(metadata).length === 0 && dropped.length === 0) return undefined;
  return {
    ...objectAddress(call, pending.object),
    method: 'PATCH',
    headers: [...storageHeaders(call), 'content-type', 'application/json'],
    body: JsonBody.of({ metadata }),
    dropped,
  };
}

/** Form fields that are not used. An expiry, for example, must be set on the bucket. */
const otherFields = ({ fields }: FormBody): readonly Dropped[] =>
  [...fields.keys()].filter((name) => !usedFields.has(name)).map((param) => ({ param, reason: 'the service stores only the file' }));

const usedFields: ReadonlySet<string> = new Set(['file', 'purpose', 'model', 'provider']);

/** The object as described in the response to the upload, with the purpose that was set afterwards. */
function fileResult(text: string, call: VertexCall, pending: Upload): FileObject {
  const file = fileOf(parseRow(text), { object: pending.object, createdAt: call.createdAt });
  if (file === undefined) throw new GatewayError('upstream_invalid', { message: 'The response names no object.', source: 'provider' });
  const { purpose } = notesFor(pending, call);
  return purpose === undefined ? file : { ...file, purpose };
}
