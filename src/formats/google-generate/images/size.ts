/** Aspect ratios of the models with an image method, and of those that generate images in a chat. */
export const predictRatios = ['1:1', '3:4', '4:3', '9:16', '16:9'] as const;
export const chatRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;

/** True for the only size in pixels that all models generate for its ratio. */
export const isExactSize = (size: unknown): boolean => typeof size === 'string' && size.trim() === '1024x1024';

/** Returns the ratio nearest to `<width>x<height>`; undefined for `auto` and anything that is not a size. */
export function nearestRatio(size: unknown, ratios: readonly string[]): string | undefined {
  const match = typeof size === 'string' ? /^\s*(\d{1,5})\s*[x×]\s*(\d{1,5})\s*$/i.exec(size) : null;
  const target = match === null ? Number.NaN : Math.log(Number(match[1]) / Number(match[2]));
  if (!Number.isFinite(target)) return undefined;
  let best: string | undefined;
  let distance = Number.POSITIVE_INFINITY;
  for (const ratio of ratios) {
    const [width, height] = ratio.split(':').map(Number);
    const difference = Math.abs(Math.log((width ?? 1) / (height ?? 1)) - target);
    if (difference >= distance) continue;
    best = ratio;
    distance = difference;
  }
  return best;
}
