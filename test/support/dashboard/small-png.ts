import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/** Maximum number of colors in the palette. */
const maxColors = 64;

/**
 * Reduces a screenshot to a palette of its most frequent colors, about a third of the size. Other colors are replaced by the
 * nearest one, which is invisible in images of text.
 *
 * @param page decodes the image
 */
export async function smallPng(png: Buffer, page: Page): Promise<Buffer> {
  const { width, height, rgba } = (await page.evaluate(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    return { width: image.width, height: image.height, rgba: await new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.split(',')[1]);
      reader.readAsDataURL(new Blob([data]));
    }) };
  })()`)) as { width: number; height: number; rgba: string };
  const bytes = Buffer.from(rgba, 'base64');
  const pixels = Uint32Array.from({ length: width * height }, (_, i) => bytes.readUIntBE(4 * i, 3));
  const palette = paletteOf(pixels);
  const index = new Map(palette.map((colour, i) => [colour, i]));
  const rows = Buffer.alloc((width + 1) * height);
  for (const [i, colour] of pixels.entries()) {
    let paletteIndex = index.get(colour);
    if (paletteIndex === undefined) index.set(colour, (paletteIndex = nearest(colour, palette)));
    rows[i + Math.floor(i / width) + 1] = paletteIndex;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits per pixel, a palette; default compression, filter and interlace methods.
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('PLTE', colours), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function paletteOf(pixels: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, maxColors)
    .map(([colour]) => colour);
}

function nearest(colour: number, palette: readonly number[]): number {
  const distance = (other: number): number =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  return palette.reduce((best, other, i) => (distance(other) < distance(palette[best] ?? 0) ? i : best), 0);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
