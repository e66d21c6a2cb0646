import type { ServerResponse } from 'node:http';
import { json, type Script, type ScriptedUpstream, type SeenRequest, sse, startUpstream } from '../support/upstream.ts';
import { chat, type Format, messages, responses, type Step } from './formats.ts';

/** The input of a model: its tools, and the results of the tools called so far. */
export interface Turn {
  readonly tools: readonly string[];
  readonly results: readonly unknown[];
}

export type Model = (turn: Turn) => Step;

interface Body {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
  readonly messages?: readonly Message[];
  readonly input?: string | readonly { readonly type?: string; readonly output?: unknown }[];
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly content?: unknown }[] | null;
}

/** Routes by the end of their path, because each service has its own prefix. */
const formats: readonly { readonly path: string; readonly format: Format; readonly results: (body: Body) => unknown[] }[] = [
  {
    path: '/chat/completions',
    format: chat,
    results: ({ messages: all = [] }) => all.filter(({ role }) => role === 'tool').map(({ content }) => content),
  },
  {
    path: '/responses',
    format: responses,
    results: ({ input = [] }) =>
      typeof input === 'string' ? [] : input.filter(({ type }) => type === 'function_call_output').map(({ output }) => output),
  },
  {
    path: '/messages',
    format: messages,
    results: ({ messages: all = [] }) =>
      all
        .flatMap(({ content }) => (typeof content === 'string' || content === null ? [] : content))
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) => content),
  },
];

/** A service with the APIs of the large providers, complete and streamed; the test plays the model. */
export const startService = (model: Model): Promise<ScriptedUpstream> => startUpstream(asService(model));

function asService(model: Model): Script {
  return (response: ServerResponse, request: SeenRequest, nth: number) => {
    const path = request.url.split('?')[0] ?? '';
    const route = formats.find((each) => path.endsWith(each.path));
    if (route === undefined || request.method !== 'POST') return json(response, 404, { error: { message: `No ${path} here.` } });
    const body = JSON.parse(request.body.toString('utf8')) as Body;
    const tools = (body.tools ?? []).map((tool) => tool.name ?? tool.function?.name ?? '');
    const { whole, stream } = route.format(model({ tools, results: route.results(body) }), body.model, nth);
    return body.stream === true ? sse(response, stream) : json(response, 200, whole);
  };
}
