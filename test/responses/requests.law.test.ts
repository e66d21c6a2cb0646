import { describe, expect, it } from 'vitest';
import { responsesDialect } from '../../src/formats/openai-responses/client.ts';
import { toHub } from '../../src/formats/openai-responses/to-hub/index.ts';
import { haveRecordings, type Recording, recordings } from '../contract/recordings.ts';
import type { Json } from '../contract/gemini-oracle.ts';
import { contentOfCompletion } from '../client-formats/content.ts';
import { successful } from '../client-formats/recorded.ts';
import { wayOf, wholeOf } from '../client-formats/ways.ts';
import { skipping } from '../support/skipping.ts';

const requests = recordings(['openai', 'azure-openai']).filter(
  ({ request: { url, method, body } }) => method === 'POST' && /\/responses(?:\?|$)/.test(url) && body !== undefined,
);

/** Recorded requests that need OpenAI: the parameter of the error. */
const refused: Readonly<Record<string, string>> = {
  'openai-responses-12e63ecd98e3': 'input[1].type',
  'openai-responses-3b659cb62fc8': 'input[3].type',
  'openai-responses-3b9fa776b073': 'input[3].type',
  'openai-responses-6d5d85c00b33': 'previous_response_id',
  'openai-responses-7b5c7e804b2f': 'input[2].type',
  'openai-responses-9370baa8025c': 'input[1].type',
  'openai-responses-a6b94141d2e8': 'previous_response_id',
};

/** What is lost of a request: parts that only OpenAI has. */
const lossOf =
  /^(?:context_management|include|tools\[\]\.(?:code_interpreter|mcp|defer_loading|tool_search|image_generation|apply_patch|file_search)|input\[\]\.(?:mcp_list_tools|mcp_call|web_search_call|file_search_call|code_interpreter_call|reasoning\.encrypted_content|content\[\]\.annotations|phase))$/;

/** What is lost of a response that is sent back. */
const lossOfResponse = /^input\[\]\.(?:web_search_call|content\[\]\.annotations)$/;

/** The texts that a model reads of an input item, as JSON writes them. */
function textsOf({ type, content, arguments: input, output, summary }: Json): readonly string[] {
  const parts = [content, output, summary].flatMap((list) => (Array.isArray(list) ? (list as Json[]) : []));
  const plain = [type === 'reasoning' ? undefined : content, type === 'function_call' ? input : undefined, output];
  const texts = [...plain, ...parts.flatMap(({ text, image_url: image, file_data: data }) => [text, image, data])];
  return texts.filter((text) => typeof text === 'string').map((text) => JSON.stringify(text).slice(1, -1));
}

const served = /^(?:mcp|web_search|file_search|code_interpreter)_/;

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))('recorded requests', () => {
  it('include enough recordings', () => {
    expect(requests.length).toBeGreaterThan(300);
  });

  it.each(requests.map((one) => [one.id, one.request.body ?? {}] as const))('keep everything that a model reads: %s', (id, body) => {
    const expected = refused[id];
    if (expected !== undefined) {
      expect(() => toHub(body)).toThrow(expect.objectContaining({ param: expected }) as Error);
      return;
    }
    const { body: hub, dropped } = toHub(body);
    expect(dropped.map(({ param }) => param).filter((param) => !lossOf.test(param))).toEqual([]);
    const { input, instructions, tools } = body;
    const items = typeof input === 'string' ? [{ content: input }] : (input as Json[]);
    const texts = items.filter(({ type }) => !served.test(String(type))).flatMap(textsOf);
    const names = ((tools ?? []) as Json[]).flatMap(({ type, name }) => (type === 'function' || type === 'custom' ? [String(name)] : []));
    const text = JSON.stringify(hub);
    for (const one of [...texts, ...names, ...textsOf({ content: instructions })]) expect(text).toContain(one);
  });

  it.each(successful.map((one) => [`${one.provider} ${one.id}`, one] as const))('take their response back: %s', (_name, exchange) => {
    expectBack(exchange);
  });
});

/** The items of a response become the message that they were made of. */
function expectBack(exchange: Recording): void {
  const way = wayOf(exchange);
  const { whole } = way.forms(exchange);
  const completion = way.completion(whole);
  const { output } = wholeOf(way, whole, responsesDialect);
  const { body, dropped } = toHub({ model: 'm', input: output });
  const messages = (body['messages'] as Json[]) ?? [];
  const { stop: _stop, usage: _usage, ...expected } = contentOfCompletion(completion);
  const message = messages[0] ?? { content: '' };
  const { stop: _end, usage: _none, ...said } = contentOfCompletion({ choices: [{ message: { ...message, refusal: null } }] });
  expect({ ...said, count: messages.length }).toEqual({ ...expected, count: Array.isArray(output) && output.length === 0 ? 0 : 1 });
  expect(dropped.map(({ param }) => param).filter((param) => !lossOfResponse.test(param))).toEqual([]);
  expect(signaturesIn(message)).toEqual(signaturesIn(completion));
}

/** Signatures and encrypted thinking, in the order in which they occur. */
const signaturesIn = (value: unknown): readonly string[] =>
  [
    ...JSON.stringify(value).matchAll(
      /"type":"(?:thinking|text)","(?:thinking|text)":"(?:[^"\\]|\\.)*","signature":"([^"]+)"|"type":"redacted_thinking","data":"([^"]+)"|"extra_content":\{"google":\{"thought_signature":"([^"]+)"/g,
    ),
  ]
    .map(([, ...found]) => found.find((one) => one !== undefined) ?? '')
    .toSorted();
