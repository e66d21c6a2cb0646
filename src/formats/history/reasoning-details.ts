import type { JsonObject } from '../../core/json/merge.ts';
import { parseObject, stringOf, textOf } from '../shared/json.ts';
import type { AssistantPart } from './assistant-parts.ts';
import { keptMark } from './kept-content.ts';
import { signedBy } from './signatures.ts';

/**
 * `reasoning_details` of OpenRouter: a list of thoughts (`reasoning.text`), summaries (`reasoning.summary`) and encrypted
 * reasoning (`reasoning.encrypted`), which a client sends back unchanged (OpenRouter, "Preserving reasoning blocks").
 * `format` names the service that can read a detail.
 */

/** The format of details that are blocks of the messages API. */
const ofClaude = 'anthropic-claude-v1';

/** Start of a signature or of data in which the gateway keeps a detail that the messages API has no form for. */
const prefix = `${keptMark}reasoning:`;

/**
 * Returns the signature of the block of thinking for a text or a summary. Undefined for a text without a signature,
 * since nothing besides the text is sent back.
 */
export function signatureFor({ text: _text, summary: _summary, ...rest }: JsonObject): string | undefined {
  const signature = textOf(rest['signature']);
  if (signature === undefined && rest['type'] !== 'reasoning.summary') return undefined;
  return signature !== undefined && signedBy(signature) === 'anthropic' ? signature : prefix + JSON.stringify(rest);
}

/** Returns the data of the redacted block for encrypted reasoning. */
export const dataFor = (detail: JsonObject): string =>
  detail['format'] === ofClaude ? stringOf(detail['data']) : prefix + JSON.stringify(detail);

/** Returns the detail that the gateway kept in a block; undefined if it kept none. */
export function keptDetail({ type, thinking, signature, data }: JsonObject): JsonObject | undefined {
  const kept = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined;
  const detail = typeof kept === 'string' && kept.startsWith(prefix) ? parseObject(kept.slice(prefix.length)) : undefined;
  if (detail === undefined || type !== 'thinking') return detail;
  return { ...detail, [detail['type'] === 'reasoning.summary' ? 'summary' : 'text']: stringOf(thinking) };
}

/** Returns the details for thinking that Claude signed or encrypted. */
export const claudeDetails = (parts: readonly AssistantPart[]): readonly JsonObject[] =>
  parts
    .flatMap((part): readonly JsonObject[] => {
      if (part.kind === 'redacted' && part.data !== '') return [{ type: 'reasoning.encrypted', data: part.data }];
      if (part.kind !== 'thinking' || part.signature === undefined || signedBy(part.signature) !== 'anthropic') return [];
      return [{ type: 'reasoning.text', text: part.text, signature: part.signature }];
    })
    .map((detail, index) => ({ ...detail, format: ofClaude, index }));
