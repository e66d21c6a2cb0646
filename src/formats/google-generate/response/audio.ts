import type { ModelEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';

/** Supported formats: the service's samples unchanged, or with the header of a WAV file. */
export type AudioFormat = 'pcm16' | 'wav';

/**
 * Reads `audio.format` of a request. The service always returns raw samples (Gemini API, "Speech generation"). A WAV header can
 * be added; other formats would require encoding.
 */
export function audioFormat(body: JsonObject, drops?: Drops): AudioFormat | undefined {
  const audio = body['audio'];
  const format = isJsonObject(audio) ? audio['format'] : undefined;
  if (format === undefined || format === null || format === 'pcm16') return undefined;
  if (format !== 'wav') drops?.add('audio.format', 'this service returns only raw samples, which are sent as wav');
  return 'wav';
}

interface AudioPiece {
  readonly mimeType: string;
  readonly base64: string;
}

/** What the audio of a response depends on. */
interface AudioCall {
  readonly id: string;
  readonly createdAt: number;
  readonly audioFormat?: AudioFormat | undefined;
}

/** Builds `audio` of a whole message from all audio pieces in order; undefined if there are none. */
export function audioOf(pieces: readonly AudioPiece[], call: AudioCall): JsonObject | undefined {
  const [first] = pieces;
  if (first === undefined) return undefined;
  const { id, expires_at } = audioHeader(call);
  if (pieces.length === 1 && !needsHeader(first, call)) return { id, data: first.base64, transcript: '', expires_at };
  const samples = Buffer.concat(pieces.map(({ base64 }) => Buffer.from(base64, 'base64')));
  const bytes = needsHeader(first, call) ? Buffer.concat([wavHeader(first.mimeType, samples.length), samples]) : samples;
  return { id, data: bytes.toString('base64'), transcript: '', expires_at };
}

/** Writes the audio of a stream. Clients join the base64 of its deltas, so each delta except the last has a multiple of three bytes. */
export class AudioDeltas {
  readonly #call: AudioCall;
  #rest = Buffer.alloc(0);
  #isBegun = false;

  constructor(call: AudioCall) {
    this.#call = call;
  }

  push(choice: number, piece: AudioPiece): ModelEvent {
    const head = this.#isBegun || !needsHeader(piece, this.#call) ? [] : [wavHeader(piece.mimeType, undefined)];
    const bytes = Buffer.concat([this.#rest, ...head, Buffer.from(piece.base64, 'base64')]);
    const cut = bytes.length - (bytes.length % 3);
    this.#rest = bytes.subarray(cut);
    const data = bytes.toString('base64', 0, cut);
    const begin = this.#isBegun ? {} : { id: audioHeader(this.#call).id, transcript: '' };
    this.#isBegun = true;
    return { type: 'audio', choice, audio: { ...begin, data } };
  }

  /** Returns the remaining bytes, and the final delta as in OpenAI's streams. */
  end(choice: number): readonly ModelEvent[] {
    if (!this.#isBegun) return [];
    const { expires_at } = audioHeader(this.#call);
    const end: ModelEvent = { type: 'audio', choice, audio: { expires_at } };
    return this.#rest.length === 0 ? [end] : [{ type: 'audio', choice, audio: { data: this.#rest.toString('base64') } }, end];
  }
}

const audioHeader = ({ id, createdAt }: AudioCall) => ({ id: `audio_${id}`, expires_at: createdAt });

export const isAudio = (mimeType: string): boolean => mimeType.startsWith('audio/');

/** True for raw samples if the client wants a file. Audio in a container format is not changed. */
const needsHeader = ({ mimeType }: AudioPiece, { audioFormat }: AudioCall): boolean =>
  audioFormat === 'wav' && /^audio\/(?:l16|pcm)\b/i.test(mimeType);

const defaultRate = 24_000;

/** Builds the header for 16-bit samples (RIFF WAVE, PCM). @param size bytes of samples; undefined for a stream */
function wavHeader(mimeType: string, size: number | undefined): Buffer {
  const rate = numberIn(mimeType, 'rate') ?? defaultRate;
  const channels = numberIn(mimeType, 'channels') ?? 1;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(size === undefined ? 0xffffffff : size + 36, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(size ?? 0xffffffff, 40);
  return header;
}

/** Reads a parameter of a media type; undefined if a WAV header cannot contain the value. */
function numberIn(mimeType: string, name: 'rate' | 'channels'): number | undefined {
  const found = Number(new RegExp(`;\\s*${name}=(\\d{1,6})\\b`, 'i').exec(mimeType)?.[1] ?? Number.NaN);
  const max = name === 'rate' ? 400_000 : 16;
  return Number.isNaN(found) || found === 0 || found > max ? undefined : found;
}
