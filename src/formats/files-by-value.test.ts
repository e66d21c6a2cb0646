import { describe, expect, it } from 'vitest';
import type { Plain } from '../core/json/merge.ts';
import { toMessages } from './anthropic-messages/request/index.ts';
import { toConverse } from './bedrock-converse/request/index.ts';
import { toGenerateContent } from './google-generate/request/index.ts';
import { inlinedFiles } from './openai-chat/plain/files.ts';

const media = new Map();
const call = { model: 'claude-opus-4-5', media, strict: true, showsReasoning: false, stream: false, foundationModel: undefined };
const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;

/** What each service is sent for a file, as its last message has it. */
const services: Readonly<Record<string, (body: Plain) => Plain>> = {
  anthropic: (body) => toMessages(body, call, { media }).body,
  bedrock: (body) => toConverse(body, call, { media }).body,
  google: (body) => toGenerateContent(body, call, options).body,
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const png = `iVBORw0KGgo${'A'.repeat(69)}`;

describe.each(Object.entries(services))('%s reads the bytes of a file', (name, send) => {
  const found = (file: Plain): string => JSON.stringify(send({ messages: [{ role: 'user', content: [{ type: 'file', file }] }] }));

  it.each<[string, Plain, Plain]>([
    [
      'short text, by its name',
      { file_data: base64('short'), filename: 'a.txt' },
      { anthropic: '"text","media_type":"text/plain","data":"short"', bedrock: '"txt"', google: '"mimeType":"text/plain"' },
    ],
    [
      'long text without a name',
      { file_data: base64('long '.repeat(40)) },
      { anthropic: '"media_type":"text/plain","data":"long long', bedrock: '"txt"', google: '"mimeType":"text/plain"' },
    ],
    [
      'a picture without a name',
      { file_data: png },
      { anthropic: '"media_type":"image/png"', bedrock: '"format":"png"', google: '"mimeType":"image/png"' },
    ],
    [
      'by the format beside it',
      { file_data: base64('%PDF'), format: 'pdf' },
      { anthropic: '"media_type":"application/pdf"', bedrock: '"format":"pdf"', google: '"mimeType":"application/pdf"' },
    ],
  ])('%s', (_, file, wanted) => {
    expect(found(file)).toContain(wanted[name]);
  });

  it.each(['Hello, this is the text itself.', '{"a": 1}', 'naïve'])('and rejects %j, which is none', (data) => {
    expect(() => found({ file_data: data, filename: 'a.txt' })).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });
});

it.each([
  ['application/octet-stream', 'https://a.example/b.txt?x=1', 'text/plain'],
  ['', 'https://a.example/b', 'application/pdf'],
  ['text/plain', 'https://a.example/b.pdf', 'text/plain'],
])('a download of type "%s" from %s goes on as %s', (mimeType, url, type) => {
  const body = { messages: [{ role: 'user', content: [{ type: 'file', file: { file_url: url } }] }] };
  const sent = JSON.stringify(inlinedFiles(body, new Map([[url, { mimeType, base64: 'AAAA' }]])));
  expect(sent).toContain(`"file_data":"data:${type};base64,AAAA"`);
});
