import type { Endpoint } from '../../../src/core/endpoint.ts';
import type { CommonSettings, Media } from '../../../src/core/provider.ts';

type Json = Readonly<Record<string, unknown>>;

/** One request of a client, and the exact request that the provider must receive. */
export interface RequestRow {
  readonly name: string;
  readonly provider?: 'vertex-ai' | 'gemini';
  readonly endpoint?: Endpoint;
  readonly model?: string;
  readonly settings?: CommonSettings & Json;
  /** Headers of the client. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly stream?: boolean;
  readonly showsReasoning?: boolean;
  readonly media?: Readonly<Record<string, Media>>;
  readonly body: Json;
  /** URL; omitted for the default model, location and method. */
  readonly url?: string;
  readonly upstream?: unknown;
  /** In place of `upstream`: text that the body must contain, for values that cannot be written here. */
  readonly text?: string;
  /** Headers in addition to accept and content-type. */
  readonly sent?: Readonly<Record<string, string>>;
  readonly dropped?: readonly string[];
  /** The request is rejected with this code and parameter. */
  readonly refused?: readonly [code: string, param: string | undefined];
}

export const modelsUrl = 'https://us-central1-aiplatform.googleapis.com/v1/projects/p1/locations/us-central1';
export const developer = 'https://generativelanguage.googleapis.com/v1beta';

/** The shortest conversation, on both sides. */
export const hi = [{ role: 'user', content: 'hi' }];
export const userContents = [{ role: 'user', parts: [{ text: 'hi' }] }];

/** A row about messages. */
export const conversationRow = (
  name: string,
  messages: unknown,
  contents: unknown,
  more: Partial<RequestRow> & { readonly system?: unknown } = {},
): RequestRow => {
  const { system, ...rest } = more;
  return { name, body: { messages }, upstream: { ...(system === undefined ? {} : { systemInstruction: system }), contents }, ...rest };
};

/** A row about fields other than the messages. */
export const fields = (name: string, body: Json, upstream: Json, more: Partial<RequestRow> = {}): RequestRow => ({
  name,
  body: { messages: hi, ...body },
  upstream: { contents: userContents, ...upstream },
  ...more,
});

/** A row about one content part of a user, next to a text. */
export const part = (name: string, content: unknown, upstream: unknown, more: Partial<RequestRow> = {}): RequestRow => ({
  name,
  body: { messages: [{ role: 'user', content: [{ type: 'text', text: 'see' }, content] }] },
  ...(more.refused === undefined ? { upstream: { contents: [{ role: 'user', parts: [{ text: 'see' }, upstream] }] } } : {}),
  ...more,
});

/** A row about one tool's parameters. */
export const schema = (name: string, parameters: unknown, upstream: unknown, more: Partial<RequestRow> = {}): RequestRow => ({
  name: `schema: ${name}`,
  body: { messages: hi, tools: [{ type: 'function', function: { name: 'f', parameters } }] },
  upstream: {
    contents: userContents,
    tools: [{ functionDeclarations: [{ name: 'f', ...(upstream === undefined ? {} : { parameters: upstream }) }] }],
  },
  ...more,
});
