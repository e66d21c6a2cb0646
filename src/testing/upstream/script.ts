import type { Attempt, Send } from '../../core/plan.ts';
import type { LocalAnswer, Provider } from '../../core/provider.ts';
import type { Schedule } from '../../core/async/schedule.ts';
import { playLocalResponse } from '../../transport/outbound/local-response.ts';
import type { SenderDeps } from '../../transport/outbound/sender.ts';
import type { WireRequest, WireStream } from '../../transport/wire/request.ts';
import type { ScriptEntry, TestCase } from '../test-case.ts';
import { usesSample, localAnswerOf } from './reply.ts';
import { sampleFor } from './sample.ts';

/** A request that was sent to a provider. */
export interface SentRequest {
  readonly attempt: Attempt;
  /** Complete once the response has begun. */
  body: Buffer;
}

/** A provider got more requests than its script has entries. */
export interface Overrun {
  readonly slug: string;
  readonly requests: number;
  readonly entries: number;
}

export interface ScriptDeps {
  /** Responds without a network: the content of a success that the test leaves open. */
  readonly sampleProvider: Provider;
  readonly later: Schedule;
}

/** Plays the providers of one test. */
export class Script {
  readonly sent: SentRequest[] = [];
  readonly #upstream: TestCase['upstream'];
  readonly #deps: ScriptDeps;
  /** Requests so far, by slug. */
  readonly #requests = new Map<string, number>();
  #current: { readonly attempt: Attempt; readonly answer: LocalAnswer } | undefined;

  constructor(upstream: TestCase['upstream'], deps: ScriptDeps) {
    this.#upstream = upstream;
    this.#deps = deps;
  }

  get overruns(): readonly Overrun[] {
    return Object.entries(this.#upstream).flatMap(([slug, script]) => {
      const requests = this.#requests.get(slug) ?? 0;
      return Array.isArray(script) && requests > script.length ? [{ slug, requests, entries: script.length }] : [];
    });
  }

  /** Makes the sender of real traffic play the script. */
  wrapSend(send: Send): Send {
    return (attempt, arrivedAt) => {
      this.#current = { attempt, answer: this.#prepare(attempt) };
      return send(attempt, arrivedAt);
    };
  }

  /** Decides what the provider responds, before the receiver of the response exists. */
  #prepare(attempt: Attempt): LocalAnswer {
    const { translation, upstream } = attempt;
    const { slug } = attempt.binding;
    const entry = this.#entry(slug);
    if (translation === undefined || upstream === undefined) return localAnswerOf('reset', undefined);
    // A provider without a network is played too, so that its delays cost no time.
    const { local, ...network } = translation;
    const localAnswer = entry === undefined ? local?.(upstream) : undefined;
    if (local !== undefined) attempt.translation = network;
    if (localAnswer !== undefined) return localAnswer;
    const scripted = entry ?? 200;
    const sample = usesSample(scripted) ? sampleFor(attempt, this.#deps.sampleProvider) : undefined;
    if (sample !== undefined) {
      attempt.translation = { request: translation.request, tap: sample.tap };
      attempt.lane = 'express';
    }
    return localAnswerOf(scripted, sample?.answer);
  }

  /** Undefined if the test has no script for this provider. */
  #entry(slug: string): ScriptEntry | undefined {
    const count = this.#requests.get(slug) ?? 0;
    this.#requests.set(slug, count + 1);
    const script = Object.hasOwn(this.#upstream, slug) ? this.#upstream[slug] : undefined;
    if (!Array.isArray(script)) return script as ScriptEntry | undefined;
    return (script as readonly ScriptEntry[])[count] ?? 'reset';
  }

  /** Takes the place of the network. */
  readonly upstream: SenderDeps['upstream'] = {
    send: (request, _route, receiver) => {
      const current = this.#current;
      if (current === undefined) throw new Error('a request without an attempt');
      const sent: SentRequest = { attempt: current.attempt, body: Buffer.alloc(0) };
      this.sent.push(sent);
      const begin = (body: Buffer): void => {
        sent.body = body;
        playLocalResponse(current.answer, receiver, this.#deps.later);
      };
      const { body } = request;
      if (body.kind !== 'stream') begin(bytesOf(body));
      else void collectBytes(body).then(begin, (error: unknown) => receiver.failed(error as Error));
    },
  };
}

const bytesOf = (body: Exclude<WireRequest['body'], WireStream>): Buffer => (body.kind === 'none' ? Buffer.alloc(0) : body.bytes());

async function collectBytes(body: WireStream): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
