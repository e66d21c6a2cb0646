import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { signed } from '../../history/signatures.ts';
import { indexFrom, objectOf, textOf } from '../../shared/json.ts';

/** One part of a response, as the client sees it. */
export type ResponsePiece =
  | { readonly kind: 'text'; readonly text: string; readonly signature: string | undefined }
  | { readonly kind: 'thinking'; readonly text: string; readonly signature: string | undefined }
  | {
      readonly kind: 'call';
      readonly id: string | undefined;
      readonly name: string;
      readonly arguments: string;
      readonly signature: string | undefined;
    }
  | { readonly kind: 'media'; readonly mimeType: string; readonly base64: string; readonly signature: string | undefined }
  /** A step of a tool that runs at the service, or a part of an unknown kind. `native` is the block for it. */
  | { readonly kind: 'native'; readonly native: JsonObject };

/** Returns the parts of a candidate in order. `content`, its parts and each of their members may be missing. */
export function piecesOf(candidate: JsonObject): readonly ResponsePiece[] {
  const content = candidate['content'];
  const parts: unknown = isJsonObject(content) ? content['parts'] : undefined;
  if (!Array.isArray(parts)) return [];
  const out: ResponsePiece[] = [];
  for (const part of parts as unknown[]) {
    const piece = isJsonObject(part) ? pieceOf(part) : undefined;
    if (piece !== undefined) out.push(piece);
  }
  return out;
}

/**
 * Returns the number of a candidate. The service omits 0; if none of them has a number, the position counts. Only the candidate
 * before it is checked for a number: a search of the list for each of very many candidates would block the process.
 */
export const candidateIndex = (raw: JsonObject, at: number, candidates: readonly unknown[]): number =>
  indexFrom(raw['index']) ?? (indexFrom(objectOf(candidates[at - 1])['index']) === undefined ? at : 0);

/** True if there is more than signatures and empty texts. */
export function hasContent(candidate: JsonObject): boolean {
  const content = candidate['content'];
  const parts: unknown = isJsonObject(content) ? content['parts'] : undefined;
  if (!Array.isArray(parts)) return false;
  return (parts as unknown[]).some(
    (part) => isJsonObject(part) && (Object.keys(part).some(isPayload) || textOf(part['text']) !== undefined),
  );
}

const isPayload = (key: string): boolean => key !== 'text' && key !== 'thought' && key !== 'thoughtSignature';

function pieceOf(part: JsonObject): ResponsePiece | undefined {
  const signature = textOf(part['thoughtSignature']);
  const { functionCall, inlineData, text } = part;
  if (isJsonObject(functionCall)) return callOf(functionCall, signature);
  if (isJsonObject(inlineData)) {
    // Draft images belong to the reasoning and not to the response.
    if (part['thought'] === true) return undefined;
    return { kind: 'media', mimeType: textOf(inlineData['mimeType']) ?? '', base64: textOf(inlineData['data']) ?? '', signature };
  }
  if (typeof text === 'string') return { kind: part['thought'] === true ? 'thinking' : 'text', text, signature };
  const native = nativeOf(part, signature);
  if (native !== undefined) return { kind: 'native', native };
  return signature === undefined ? undefined : { kind: 'text', text: '', signature };
}

function callOf(call: JsonObject, signature: string | undefined): ResponsePiece | undefined {
  const name = textOf(call['name']);
  if (name === undefined) return undefined;
  return {
    kind: 'call',
    id: textOf(call['id']),
    name,
    arguments: JSON.stringify(objectOf(call['args'])),
    signature,
  };
}

/** Members that describe the content of a part. */
const beside: ReadonlySet<string> = new Set(['thoughtSignature', 'videoMetadata', 'mediaResolution', 'partMetadata']);

/** The type of the block is the name of the member in the spelling of the common format, such as `executable_code`. */
function nativeOf(part: JsonObject, signature: string | undefined): JsonObject | undefined {
  for (const member in part) {
    if (!isJsonObject(part[member]) || beside.has(member)) continue;
    const type = member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const thought = part['thought'] === true ? { thought: true } : {};
    return { type, [type]: part[member], ...thought, ...signed(signature) };
  }
  return undefined;
}

/** True for parts that always get a block of their own: calls, files, native and signed parts. */
export const hasOwnBlock = (piece: ResponsePiece): boolean =>
  piece.kind === 'call' || piece.kind === 'media' || piece.kind === 'native' || piece.signature !== undefined;

/** The blocks of a candidate so far. */
export interface BlockPosition {
  /** Number of the current block; -1 before the first. */
  block: number;
  /** Kind of the current block; undefined if the next part always begins a new one. */
  blockKind: ResponsePiece['kind'] | undefined;
}

/** Returns the block of a part: the current one if the kind is the same, but a new one for a signed part or a file. */
export function blockFor(blocks: BlockPosition, piece: Exclude<ResponsePiece, { kind: 'call' }>): number {
  const alone = hasOwnBlock(piece);
  if (alone || blocks.blockKind !== piece.kind) blocks.block += 1;
  blocks.blockKind = alone ? undefined : piece.kind;
  return blocks.block;
}

/** Returns the index of the second text of an event; -1 if there is none. */
export function secondText(pieces: readonly ResponsePiece[]): number {
  const first = pieces.findIndex((piece) => piece.kind === 'text');
  return first < 0 ? -1 : pieces.findIndex((piece, index) => index > first && piece.kind === 'text');
}
