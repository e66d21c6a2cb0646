/** A body as text; undefined: it is none, as sound and pictures are none. One that was cut may end within a character. */
export function keptText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
