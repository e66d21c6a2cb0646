import { expect, it } from 'vitest';
import { parseAddress } from './address.ts';

it.each([
  ['http://u:p@h/db', /is not valid: write postgres:/],
  ['postgres://us%er:p@h/db', /user name .* "%": write %25/],
  ['postgres://u:p%w@h/db', /password .* "%": write %25/],
  ['postgres://u:p@h/db%zz', /database name .* "%": write %25/],
  ['postgres://u:p@h/db?sslmode=verify-full&sslrootcert=/none.pem', /^sslrootcert of the URL of the request log cannot be read: ENOENT/],
])('rejects %s with a message that names the part and not the URL', (url, message) => {
  expect(() => parseAddress(url)).toThrow(message);
  expect(() => parseAddress(url)).not.toThrow(url);
});

it('decodes percent signs for messages', () => {
  expect(parseAddress('postgres://u:p%25word@h/db%20one')).toMatchObject({ kind: 'postgres h/db one', secrets: ['p%25word', 'p%word'] });
});
