import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/json/merge.ts';
import { toMessages } from './anthropic-messages/request/index.ts';
import { toHub } from './anthropic-messages/to-hub/index.ts';
import { toConverse } from './bedrock-converse/request/index.ts';
import { toGenerateContent } from './google-generate/request/index.ts';
import { inlinedFiles } from './openai-chat/plain/files.ts';
import { plainChat } from './openai-chat/plain/index.ts';

const media = new Map();
const call = { model: 'claude-opus-4-5', media, strict: true, showsReasoning: false, stream: false, foundationModel: undefined };
const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;

/** Returns the converted request of each service. */
const services: Readonly<Record<string, (body: JsonObject) => JsonObject>> = {
  anthropic: (body) => toMessages(body, call, { media }).body,
  bedrock: (body) => toConverse(body, call, { media }).body,
  google: (body) => toGenerateContent(body, call, options).body,
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const png = `iVBORw0KGgo${'A'.repeat(69)}`;

describe.each(Object.entries(services))('a request to %s with an inline file', (name, send) => {
  const sentFile = (file: JsonObject): string => JSON.stringify(send({ messages: [{ role: 'user', content: [{ type: 'file', file }] }] }));

  it.each<[string, JsonObject, JsonObject]>([
    [
      'short text with a file name',
      { file_data: base64('short'), filename: 'a.txt' },
      { anthropic: '"text","media_type":"text/plain","data":"short"', bedrock: '"txt"', google: '"mimeType":"text/plain"' },
    ],
    [
      'long text without a name',
      { file_data: base64('long '.repeat(40)) },
      { anthropic: '"media_type":"text/plain","data":"long long', bedrock: '"txt"', google: '"mimeType":"text/plain"' },
    ],
    [
      'an image without a name',
      { file_data: png },
      { anthropic: '"media_type":"image/png"', bedrock: '"format":"png"', google: '"mimeType":"image/png"' },
    ],
    [
      'data with a format',
      { file_data: base64('%PDF'), format: 'pdf' },
      { anthropic: '"media_type":"application/pdf"', bedrock: '"format":"pdf"', google: '"mimeType":"application/pdf"' },
    ],
  ])('has the content type of the file: %s', (_, file, expected) => {
    expect(sentFile(file)).toContain(expected[name]);
  });

  it.each(['Hello, this is the text itself.', '{"a": 1}', 'naïve'])('is rejected if the data %j is not base64', (data) => {
    expect(() => sentFile({ file_data: data, filename: 'a.txt' })).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });
});

it.each([
  ['application/octet-stream', 'https://a.example/b.txt?x=1', 'text/plain'],
  ['', 'https://a.example/b', 'application/pdf'],
  ['text/plain', 'https://a.example/b.pdf', 'text/plain'],
])('inlinedFiles converts a download with the type "%s" from %s to %s', (mimeType, url, type) => {
  const body = { messages: [{ role: 'user', content: [{ type: 'file', file: { file_url: url } }] }] };
  const sent = JSON.stringify(inlinedFiles(body, new Map([[url, { mimeType, base64: 'AAAA' }]])));
  expect(sent).toContain(`"file_data":"data:${type};base64,AAAA"`);
});

it.each<[media: string, url: string, title: string | undefined, filename: string]>([
  ['application/pdf', 'https://h/reports/q%201.pdf?x=1', undefined, 'q 1.pdf'],
  ['text/csv; charset=utf-8', 'https://h/export?id=1', undefined, 'document.csv'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'https://h/a.docx', undefined, 'a.docx'],
  ['application/octet-stream', 'https://h/download', undefined, 'document.pdf'],
  ['text/html', 'https://h/index.php', undefined, 'document.html'],
  ['text/csv', 'https://h/a.csv', 'My table', 'My table'],
])('a document of type "%s" at %s with the title %s is named %s', (mimeType, url, title, filename) => {
  const source = { type: 'url', url };
  const document = { type: 'document', source, ...(title === undefined ? {} : { title }) };
  const { body } = toHub({ max_tokens: 1, messages: [{ role: 'user', content: [document] }] });
  const service = { model: 'm', isOpenAi: true, passes: false, known: [], media: new Map([[url, { mimeType, base64: 'AAAA' }]]) };
  const [message] = plainChat(body, service).body['messages'] as [{ content: [{ file: JsonObject }] }];
  expect(message.content[0].file['filename']).toBe(filename);
});
