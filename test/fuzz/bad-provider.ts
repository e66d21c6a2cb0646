import { type Call, defineProvider, type LocalAnswer, type Operation, type Provider, type Translation } from '../../src/core/provider.ts';
import openai from '../../plugins/providers/openai/index.ts';

/** An external provider whose steps fail: the model of the call names the step. */

const boom = (call: Call, step: string): void => {
  if (call.model === step) throw new Error(`${step} of the provider threw`);
};

/** Returns the object with one member that throws when read. */
const throwingProxy = <T extends object>(target: T, member: string | symbol): T =>
  new Proxy(target, {
    get(target, name) {
      if (name === member) throw new Error(`${String(member)} of the provider threw`);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });

const chat = openai.operations['chat/completions'] as Operation;

const badChat: Operation = {
  begin(body, call) {
    boom(call, 'request');
    boom(call, 'tap');
    const passing = chat.begin(body, call);
    const { request, tap } = passing;
    if (call.model === 'origin') return { ...passing, request: { ...request, origin: 'no origin' } };
    if (call.model === 'path') return { ...passing, request: { ...request, path: 'no path\r\n' } };
    if (call.model === 'header') return { ...passing, request: { ...request, headers: [...request.headers, 'x-broken', 'a\r\nb'] } };
    if (call.model === 'nothing') return undefined as never;
    if (call.model.startsWith('tap.')) return { ...passing, tap: throwingProxy(tap, call.model.slice(4)) };
    return call.model.startsWith('full.') ? { ...passing, ...converting(call) } : passing;
  },
};

const converting = (call: Call): Pick<Translation, 'result' | 'reader'> => ({
  result(text) {
    boom(call, 'full.result');
    return call.model === 'full.cycle' ? cyclic() : (JSON.parse(text) as unknown);
  },
  reader() {
    boom(call, 'full.stream');
    const fail = (): never => {
      throw new Error('a step of the stream threw');
    };
    return { push: fail, end: fail, fail };
  },
});

const cyclic = (): unknown => {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
};

const validResponse: LocalAnswer = { status: 200, headers: { 'content-type': 'application/json' }, pieces: [{ text: '{}' }] };
const locals: Readonly<Record<string, unknown>> = {
  'local.garbage': 7,
  'local.none': undefined,
  'local.piece': { ...validResponse, pieces: [{ text: 42 }] },
  'local.later': { ...validResponse, pieces: [{ text: 42, afterMs: 5 }] },
  'local.status': { ...validResponse, status: 7 },
  'local.header': { ...validResponse, headers: { 'content-type': 'application/json', 'x-broken': 'a\r\nb' } },
  'local.many': { ...validResponse, pieces: [{ text: '[' }, ...Array.from({ length: 50_000 }, () => ({ text: '0,' })), { text: '0]' }] },
};

const embeddings = openai.operations.embeddings as Operation;

const bad: Provider = defineProvider({
  ...openai,
  type: 'bad',
  operations: {
    ...openai.operations,
    'chat/completions': badChat,
    embeddings: {
      begin: (body, call) => ({
        ...embeddings.begin(body, call),
        local() {
          boom(call, 'local.throw');
          return locals[call.model] as LocalAnswer;
        },
      }),
    },
  },
  fault(status, text) {
    if (text.includes('break the reading of faults')) throw new Error('fault of the provider threw');
    return openai.fault(status, text);
  },
});

export default bad;
