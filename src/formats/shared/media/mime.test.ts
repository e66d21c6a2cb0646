import { expect, it } from 'vitest';
import { typeOfUrl } from './mime.ts';

it.each([
  ['https://example.com/a/b.PDF?download=1#page', 'application/pdf'],
  ['gs://bucket/photo.png', 'image/png'],
  ['s3://bucket/film.mp4', 'video/mp4'],
  ['https://example.com/b%2Epng', 'image/png'],
  ['https://example.com/50%.png', 'image/png'],
  ['https://example.com', undefined],
  ['https://example.com/none', undefined],
  ['c.pdf', 'application/pdf'],
])('the type of %s is %s', (url, type) => {
  expect(typeOfUrl(url)).toBe(type);
});
