import type { Plain } from '#core/json/merge.ts';
import { deletedFile } from '#formats/openai-objects/objects.ts';
import { paramOf } from '../../_shared/address.ts';
import type { Answer, Content, Question } from '../answer.ts';
import { chat, completions } from '../chat.ts';
import { firstCreated, found, idOf, isCount, isText, isTime, named, type Naming, pageOf } from './objects.ts';
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

const naming: Naming<MockFile> = {
  prefix: 'file-',
  parts: { created_at: isTime, purpose: isText, filename: isText, bytes: isCount, endpoint: isText },
};

export const fileId = (file: MockFile): string => idOf(naming, file);

export const isFile = (id: string): boolean => named(naming, id) !== undefined;

/** Maximum number of characters of a name in an id. */
const longestName = 200;

export function uploaded({ body, call }: Question): Content {
  const { form } = call;
  if (form?.file === undefined) throw missing('file');
  const filename = Array.from((form.file.filename ?? 'file').toWellFormed())
    .slice(0, longestName)
    .join('');
  const bytes = form.fileBytes().length ?? form.size ?? form.received;
  return { json: shown({ created_at: call.createdAt, purpose: String(body['purpose']), filename, bytes, endpoint: '' }) };
}

/** A predefined file, listed without any upload. */
export const givenFile = (purpose: string, filename: string, second = 0): MockFile => ({
  created_at: firstCreated + second,
  purpose,
  filename,
  bytes: 120,
  endpoint: '',
});

const given: readonly MockFile[] = [
  givenFile('user_data', 'notes.txt', 3),
  givenFile('fine-tune', 'training.jsonl', 2),
  givenFile('batch', 'requests.jsonl', 1),
  givenFile('assistants', 'handbook.txt', 0),
];

export function listed(asked: Question): Content {
  const purpose = paramOf(asked.call.query, 'purpose');
  const rows = given.filter((file) => purpose === undefined || file.purpose === purpose).map(shown);
  return pageOf(asked, rows, { usual: 10_000, most: 10_000, ordered: true });
}

const byId = (answer: (file: MockFile) => Content): Answer =>
  found({ naming, unknown: (id) => noFile(id, 'id') }, (_, file) => answer(file));

export const noFile = (id: string, param: string): Refusal => new Refusal(null, param, `No such File object: ${id}`, 404);

export const retrieved = byId((file) => ({ json: shown(file) }));
export const deleted = byId((file) => ({ json: deletedFile(fileId(file)) }));
export const content = byId((file) => ({
  bytes: contentOf(file),
  type: /^(?:batch|fine-tune)/.test(file.purpose) ? 'application/jsonl' : 'text/plain; charset=utf-8',
}));

function shown(file: MockFile) {
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
  const said = (index: number): string => `Answer ${index + 1}.`;
  const messages = (index: number) => [{ role: 'user', content: said(index) }];
  const rows: Readonly<Record<string, (id: string, index: number) => Plain>> = {
    batch: (id, index) => ({
      custom_id: id,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'echo', messages: messages(index) },
    }),
    batch_output: (id, index) => ({
      id: `batch_req_${index + 1}`,
      custom_id: id,
      response: { status_code: 200, request_id: `mock-${index + 1}`, body: echoed(endpoint, said(index), `${index}`, createdAt) },
      error: null,
    }),
    'fine-tune': (_, index) => ({ messages: [...messages(index), { role: 'assistant', content: said(index) }] }),
  };
  const row = Object.hasOwn(rows, purpose) ? rows[purpose] : undefined;
  return row === undefined ? `The content of ${filename}.\n` : batchIds.map((id, index) => `${JSON.stringify(row(id, index))}\n`).join('');
}

const echoes: Readonly<Record<string, Answer>> = {
  '/v1/embeddings': embeddings,
  '/v1/completions': completions,
  '/v1/moderations': moderations,
  '/v1/responses': responses,
};

/** The call for a line of a batch. */
const line = {
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
function echoed(endpoint: string, text: string, id: string, createdAt: number): unknown {
  const body = { messages: [{ role: 'user', content: text }], input: text, prompt: text, dimensions: 3 };
  const answer = Object.hasOwn(echoes, endpoint) ? echoes[endpoint] : undefined;
  const content = (answer ?? chat)({ body, reply: {}, call: { ...line, id, createdAt } });
  return 'json' in content ? content.json : null;
}
