import { describe, expect, it } from 'vitest';
import { fromGenerateContent } from './response/result.ts';
import { toGenerateContent } from './request/index.ts';

const call = { model: 'gemini-3-pro', strict: false, showsReasoning: false, id: 'r1', createdAt: 1, media: new Map() };
const signature = 'CiQBjz1rXw0QZ2VtaW5pLXRob3VnaHQtc2lnbmF0dXJl';

/** Returns the parts of a model turn in the next request, after the client appended the message it got. */
function sentBack(parts: readonly object[]): unknown {
  const response = JSON.stringify({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });
  const [choice] = fromGenerateContent(response, call)['choices'] as { message: { tool_calls?: { id: string }[] } }[];
  const results = (choice?.message.tool_calls ?? []).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '1' }));
  const messages = [{ role: 'user', content: 'a' }, choice?.message, ...results, { role: 'user', content: 'b' }];
  const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;
  const { body } = toGenerateContent({ messages }, call, options);
  return (body['contents'] as { parts: unknown }[])[1]?.parts;
}

describe('a model turn that the client sends back', () => {
  it.each<[string, object[]]>([
    ['signed text', [{ text: 'x', thoughtSignature: signature }]],
    ['a signature alone', [{ text: 'x' }, { text: '', thoughtSignature: signature }]],
    ['calls', [{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: signature }, { functionCall: { name: 'g', args: {} } }]],
    ['code', [{ text: 'x' }, { executableCode: { code: '1' } }, { codeExecutionResult: { output: '1' } }, { text: 'y' }]],
    ['code inside the reasoning', [{ executableCode: { code: '1' }, thought: true, thoughtSignature: signature }, { text: 'y' }]],
    [
      'steps of server tools',
      [
        { toolCall: { id: 'a1', toolType: 'GOOGLE_SEARCH', args: { q: 'x' } }, thoughtSignature: signature },
        { toolResponse: { id: 'a1', response: { r: 1 } } },
        { text: 'y' },
      ],
    ],
    [
      'a stored file',
      [{ text: 'x' }, { fileData: { mimeType: 'image/png', fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } }],
    ],
    ['an image', [{ inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: signature }]],
  ])('is restored exactly: %s', (_, parts) => {
    expect(sentBack(parts)).toEqual(parts);
  });
});
