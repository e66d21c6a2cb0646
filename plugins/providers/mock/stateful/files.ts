import type { JsonObject } from '#core/json/merge.ts';
import { deletedFile } from '#formats/openai-objects/objects.ts';
import { paramOf } from '../../_shared/address.ts';
import type { Responder, MockContent, MockRequest } from '../mock-response.ts';
import { chat, completions } from '../chat.ts';
import { firstCreatedAt, forObject, encodeId, isCount, isText, isTime, decodeId, type IdEncoding, pageOf } from './objects.ts';
import { responses } from '../responses.ts';
import { missing, Refusal } from '../rules.ts';
import { embeddings, moderations } from '../vectors.ts';

/** The contents of a file id: the mock stores names of files, but not their bytes. */
export interface MockFile {
  /** Unix seconds. */
  readonly created_at: number;
  readonly purpose: string;
  readonly filename: string;
  readonly bytes: number;
  /** For the output of a batch: the endpoint of its requests; '' otherwise. */
  readonly endpoint: string;
}

const naming: IdEncoding<MockFile> = {
  prefix: 'file-',
  parts: { created_at: isTime, purpose: isText, filename: isText, bytes: isCount, endpoint: isText },
};

export const fileId = (file: MockFile): string => encodeId(naming, file);

export const isFile = (id: string): boolean => decodeId(naming, id) !== undefined;

/** Maximum number of characters of a name in an id. */
const longestName = 200;

export function uploaded({ body, call }: MockRequest): MockContent {
  const { form } = call;
  if (form?.file === undefined) throw missing('file');
  const filename = Array.from((form.file.filename ?? 'file').toWellFormed())
    .slice(0, longestName)
    .join('');
  const bytes = form.fileBytes().length ?? form.size ?? form.received;
  return { json: fileObject({ created_at: call.createdAt, purpose: String(body['purpose']), filename, bytes, endpoint: '' }) };
}

/** A predefined file, listed without any upload. */
export const predefinedFile = (purpose: string, filename: string, second = 0): MockFile => ({
  created_at: firstCreatedAt + second,
  purpose,
  filename,
  bytes: 120,
  endpoint: '',
});

const predefinedFiles: readonly MockFile[] = [
  predefinedFile('user_data', 'notes.txt', 3),
  predefinedFile('fine-tune', 'training.jsonl', 2),
  predefinedFile('batch', 'requests.jsonl', 1),
  predefinedFile('assistants', 'handbook.txt', 0),
];

export function listed(request: MockRequest): MockContent {
  const purpose = paramOf(request.call.query, 'purpose');
  const rows = predefinedFiles.filter((file) => purpose === undefined || file.purpose === purpose).map(fileObject);
  return pageOf(request, rows, { defaultLimit: 10_000, maxLimit: 10_000, hasOrder: true });
}

const byId = (respond: (file: MockFile) => MockContent): Responder =>
  forObject({ naming, unknown: (id) => fileNotFound(id, 'id') }, (_, file) => respond(file));

export const fileNotFound = (id: string, param: string): Refusal => new Refusal(null, param, `No such File object: ${id}`, 404);

export const retrieved = byId((file) => ({ json: fileObject(file) }));
export const deleted = byId((file) => ({ json: deletedFile(fileId(file)) }));
export const content = byId((file) => ({
  bytes: contentOf(file),
  type: /^(?:batch|fine-tune)/.test(file.purpose) ? 'application/jsonl' : 'text/plain; charset=utf-8',
}));

function fileObject(file: MockFile) {
  const { endpoint: _, ...known } = file;
  return { id: fileId(file), object: 'file', ...known, status: 'processed' };
}

/** Ids of the requests in every batch. */
export const batchIds = ['request-1', 'request-2', 'request-3'] as const;

/** Returns the output file of a batch. */
export function outputFile(created_at: number, endpoint: string): MockFile {
  const file = { created_at, purpose: 'batch_output', filename: 'output.jsonl', bytes: 0, endpoint };
  return { ...file, bytes: Buffer.byteLength(contentOf(file)) };
}

/** Generates the content of a file from its purpose, because nothing is stored. It is the same each time. */
export function contentOf({ purpose, filename, endpoint, created_at: createdAt }: MockFile): string {
  const textOfRow = (index: number): string => `Answer ${index + 1}.`;
  const messages = (index: number) => [{ role: 'user', content: textOfRow(index) }];
  const rows: Readonly<Record<string, (id: string, index: number) => JsonObject>> = {
    batch: (id, index) => ({
      custom_id: id,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'echo', messages: messages(index) },
    }),
    batch_output: (id, index) => ({
      id: `batch_req_${index + 1}`,
      custom_id: id,
      response: {
        status_code: 200,
        request_id: `mock-${index + 1}`,
        body: echoResponse(endpoint, textOfRow(index), `${index}`, createdAt),
      },
      error: null,
    }),
    'fine-tune': (_, index) => ({ messages: [...messages(index), { role: 'assistant', content: textOfRow(index) }] }),
  };
  const row = Object.hasOwn(rows, purpose) ? rows[purpose] : undefined;
  return row === undefined ? `The content of ${filename}.\n` : batchIds.map((id, index) => `${JSON.stringify(row(id, index))}\n`).join('');
}

const echoResponders: Readonly<Record<string, Responder>> = {
  '/v1/embeddings': embeddings,
  '/v1/completions': completions,
  '/v1/moderations': moderations,
  '/v1/responses': responses,
};

/** The call for a line of a batch. */
const lineCall = {
  endpoint: 'batches',
  settings: {},
  model: 'echo',
  stream: false,
  includeUsage: false,
  params: {},
  query: '',
  form: undefined,
} as const;

/** Returns the response of the batch's endpoint to a line, as an echo. */
function echoResponse(endpoint: string, text: string, id: string, createdAt: number): unknown {
  const body = { messages: [{ role: 'user', content: text }], input: text, prompt: text, dimensions: 3 };
  const responder = Object.hasOwn(echoResponders, endpoint) ? echoResponders[endpoint] : undefined;
  const content = (responder ?? chat)({ body, reply: {}, call: { ...lineCall, id, createdAt } });
  return 'json' in content ? content.json : null;
}
