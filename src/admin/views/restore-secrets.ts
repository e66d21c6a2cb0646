import { masked } from '../../core/secrets/credential-names.ts';
import type { Mask } from '../../core/secrets/mask.ts';

interface MaskedLine {
  readonly shown: string;
  readonly real: string;
}

/**
 * Restores secrets in a text that was edited in masked form. First, unchanged lines get their original text. If the
 * number of remaining masks equals that of the remaining secrets, those are inserted in order.
 */
export function restoreSecrets(text: string, file: string, mask: Mask): string {
  if (!text.includes(masked)) return text;
  const left = hiddenLines(file, mask);
  const lines = text.split('\n').map((line) => {
    const at = left.findIndex(({ shown }) => shown === line);
    return at < 0 ? { line, isDone: false } : { line: left.splice(at, 1)[0]?.real ?? line, isDone: true };
  });
  const secrets = left.flatMap(secretsIn);
  const open = lines.reduce((sum, { line, isDone }) => sum + (isDone ? 0 : line.split(masked).length - 1), 0);
  if (open !== secrets.length) return lines.map(({ line }) => line).join('\n');
  return lines.map(({ line, isDone }) => (isDone ? line : line.replaceAll(masked, () => secrets.shift() ?? masked))).join('\n');
}

/** Lines of the file that contain a masked value. */
const hiddenLines = (file: string, mask: Mask): MaskedLine[] =>
  file
    .split('\n')
    .map((real) => ({ shown: mask.text(real), real }))
    .filter(({ shown, real }) => shown !== real);

/** The values behind each mask. */
function secretsIn({ shown, real }: MaskedLine): readonly string[] {
  const pattern = shown.split(masked).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${pattern.join('(.+?)')}$`).exec(real)?.slice(1) ?? [];
}
