import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../../../core/error.ts';
import type { FormFile, FormPart } from '../../../core/http/form.ts';
import { formatSize } from '../../../core/text/units.ts';
import { invalidForm, type PartHead } from './head.ts';
import type { FormPiece } from './scanner.ts';

/** Maximum size of an inspected value, in bytes. Longer ones, such as a voice sample as data URI, are forwarded unread. */
const valueLimit = 256 * 1024;
const allLimit = 1024 * 1024;

/**
 * Fields on which the gateway bases its decisions. Given two values, providers use the first or the last one, and a
 * part with an empty file name is a file to some and text to others. The value used must be the value that was checked.
 */
const decisiveFields: ReadonlySet<string> = new Set(['model', 'purpose']);

/** Sizes of a part, in bytes. */
export interface SizedPart extends PartHead {
  /** Size of its delimiter line, without the line end before it. */
  readonly delimiter: number;
  readonly head: number;
  body: number;
  /** Size of the line end before the next delimiter: 0 for a part without content, and until that delimiter has arrived. */
  lineEnd: number;
}

/** Text fields and part sizes of a form, collected while its pieces pass. */
export class FormFields {
  readonly values = new Map<string, string>();
  readonly parts: SizedPart[] = [];
  /** Files, and text fields that have arrived completely. */
  readonly seen: FormPart[] = [];
  file: FormFile | undefined;
  #open: SizedPart | undefined;
  #text: Buffer[] = [];
  #size = 0;
  #delimiter = 0;
  readonly #isUpload: boolean;

  /** @param isUpload the route stores the file: exactly one is allowed, and its lines are inspected */
  constructor(isUpload: boolean) {
    this.#isUpload = isUpload;
  }

  /** @throws GatewayError `body_too_large`, `invalid_form` */
  add(piece: FormPiece): void {
    switch (piece.kind) {
      case 'delimiter':
        if (this.#open !== undefined) this.#open.lineEnd = lineEndLength(piece.bytes);
        this.#finish();
        this.#delimiter = piece.bytes.length - lineEndLength(piece.bytes);
        return;
      case 'head':
        this.#begin(piece.part, piece.bytes.length);
        return;
      case 'body':
        this.#content(piece.bytes);
        return;
      case 'outside':
        return;
      default:
        return piece satisfies never;
    }
  }

  #begin(part: PartHead, head: number): void {
    this.#open = { ...part, delimiter: this.#delimiter, head, body: 0, lineEnd: 0 };
    this.parts.push(this.#open);
    if (part.isFile && decisiveFields.has(part.name)) throw invalidForm(`The field "${part.name}" is sent as a file.`);
    if (part.isFile && this.file !== undefined && this.#isUpload) throw invalidForm('The form contains more than one file.');
    if (part.isFile) this.seen.push({ name: part.name, isFile: true, text: undefined });
    if (part.isFile) this.file ??= { field: part.name, filename: part.filename, contentType: part.contentType };
  }

  #content(bytes: Buffer): void {
    const part = this.#open;
    if (part === undefined) return;
    part.body += bytes.length;
    if (part.isFile || part.body > valueLimit) return;
    this.#size += bytes.length;
    if (this.#size > allLimit) {
      throw new GatewayError('body_too_large', {
        message: `The text fields of the form are larger than ${formatSize(allLimit)}.`,
        param: part.name,
      });
    }
    this.#text.push(bytes);
  }

  #finish(): void {
    const part = this.#open;
    if (part === undefined) return;
    this.#open = undefined;
    const text = this.#text;
    this.#text = [];
    if (part.isFile) return;
    const value = part.body > valueLimit ? undefined : textOf(part.name, Buffer.concat(text));
    this.seen.push({ name: part.name, isFile: false, text: value });
    const before = this.values.get(part.name);
    if (before !== undefined && before !== value && decisiveFields.has(part.name))
      throw invalidForm(`The field "${part.name}" has two values.`);
    // The last value of a name counts. If it was not kept, an earlier one must be removed.
    if (value === undefined) this.values.delete(part.name);
    else this.values.set(part.name, value);
  }
}

/** @throws GatewayError `invalid_form`: the provider may decode bytes that are not valid UTF-8 here */
function textOf(name: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalidForm(`The field "${name}" is not UTF-8 text.`);
  return bytes.toString('utf8');
}

/** Length of the line end at the start of a delimiter; the first delimiter of a form has none. */
export function lineEndLength(delimiter: Buffer): number {
  return delimiter[0] === 0x0d ? 2 : delimiter[0] === 0x0a ? 1 : 0;
}

/**
 * Rejects a decisive field that is repeated after the file, when the form is already being forwarded: the provider
 * would use the last value, but the gateway has used the first.
 *
 * @throws GatewayError `invalid_form`
 */
export function rejectRepeatedField(name: string): never {
  throw invalidForm(`The field "${name}" is both before and after the file.`);
}
