import { isJsonObject } from '../../core/json/merge.ts';
import type { LocalAnswer, LocalPiece } from '../../core/provider.ts';
import { parseDuration } from '../../core/text/units.ts';
import { hangMs } from '../../transport/outbound/local-response.ts';
import type { ScriptEntry, ScriptedResponse } from '../test-case.ts';

/** The connection fails before a response: at once, or after all timeouts. */
const connectionFailures: Readonly<Record<'timeout' | 'reset', LocalAnswer>> = {
  reset: { status: 0, headers: {}, pieces: [], breaks: 'reset-before-response' },
  timeout: { status: 0, headers: {}, pieces: [], delayMs: hangMs, breaks: 'reset-before-response' },
};

/** True for a success whose content the test leaves open. */
export const usesSample = (entry: ScriptEntry): entry is number | ScriptedResponse =>
  typeof entry === 'number'
    ? entry < 300
    : typeof entry === 'object' && (entry.status ?? 200) < 300 && entry.body === undefined && entry.chunks === undefined;

/** @param sample the content of a success that the test leaves open */
export function localAnswerOf(entry: ScriptEntry, sample: LocalAnswer | undefined): LocalAnswer {
  if (typeof entry === 'string') return connectionFailures[entry];
  const response = typeof entry === 'number' ? { status: entry } : entry;
  const status = response.status ?? 200;
  const content = contentOf(response, status, sample);
  const breaks = response.end === undefined ? undefined : response.end === 'timeout' ? 'hang' : 'reset';
  return {
    status,
    headers: { 'content-type': content.type, ...lowerCase(response.headers ?? {}) },
    pieces: content.pieces,
    delayMs: msOf(response.delay),
    ...(breaks === undefined ? {} : { breaks }),
  };
}

interface ResponseContent {
  readonly type: string;
  readonly pieces: readonly LocalPiece[];
}

function contentOf(response: ScriptedResponse, status: number, sample: LocalAnswer | undefined): ResponseContent {
  const { body, chunks } = response;
  if (chunks !== undefined) {
    const afterMs = msOf(response.chunk_delay);
    return { type: 'text/event-stream', pieces: chunks.map((chunk) => ({ text: chunkText(chunk), afterMs })) };
  }
  if (body !== undefined) return { type: 'application/json', pieces: [{ text: typeof body === 'string' ? body : JSON.stringify(body) }] };
  if (status < 300 && sample !== undefined) return { type: sample.headers['content-type'] ?? 'application/json', pieces: sample.pieces };
  return { type: 'application/json', pieces: [{ text: JSON.stringify(status < 300 ? {} : errorBody(status)) }] };
}

const errorBody = (status: number): object => ({
  error: { message: `scripted: status ${status}`, type: 'scripted', code: null, param: null },
});

/** A mapping is an event; all APIs but chat also have its type as the event name. */
function chunkText(chunk: unknown): string {
  if (chunk === '[DONE]') return 'data: [DONE]\n\n';
  if (typeof chunk === 'string') return chunk;
  const data = `data: ${JSON.stringify(chunk)}\n\n`;
  return isJsonObject(chunk) && typeof chunk['type'] === 'string' ? `event: ${chunk['type']}\n${data}` : data;
}

/** The schema has checked the form. */
const msOf = (text: string | undefined): number => (text === undefined ? 0 : (parseDuration(text) ?? 0));

const lowerCase = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
