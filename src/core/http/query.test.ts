import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isNamed, plainQuery, withoutParameters, withParam } from './query.ts';

it.each([
  ['api-key=x', true],
  ['api-key', true],
  ['api-key&b=c', true],
  ['API-Key=', true],
  ['%61%70%69%2dke%79=x', true],
  ['%41pi-key=x', true],
  ['api-key2=x', false],
  ['xapi-key=x', false],
  ['api', false],
  ['', false],
  ['api%', false],
  ['api%2', false],
  ['api%2gkey=x', false],
  ['api%252dkey=x', false],
  ['api+key=x', false],
  ['%61%70%69%2d%6b%65%79%00=x', false],
])('isNamed(%j, "api-key") returns %s', (part, expected) => {
  expect(isNamed(part, 'api-key')).toBe(expected);
});

it('isNamed decodes names like URLSearchParams', () => {
  const piece = fc.constantFrom('a', 'b', 'A', '%61', '%41', '%', '%6', '%zz', '=', '+', '%25', '%3d', 'ü', '%C3%BC');
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
      fc.constantFrom('a', 'ab', 'aa'),
      (text, name) => {
        const [parsed] = new URLSearchParams(`${text}=`).keys();
        expect(isNamed(text, name)).toBe(parsed?.toLowerCase() === name);
      },
    ),
    { numRuns: 2000 },
  );
});

it.each([
  ['model=m&api-key=k', 'model=m'],
  ['api-key=k&model=m', 'model=m'],
  ['a=1&api%2Dkey=k&b=2&API_KEY=x&c=3', 'a=1&b=2&c=3'],
  ['api-key=k', ''],
  ['api-key', ''],
  ['?api-key=k&a=1', 'a=1'],
  ['a=1&?api_key=k', 'a=1'],
  ['a=api-key=k&', 'a=api-key=k&'],
  ['&&api', '&&api'],
  ['', ''],
  ['a=1;api-key=k', 'a=1'],
  ['api-key=k;a=1', 'a=1'],
  ['a=1;API%2dkey=k&b=2', 'a=1&b=2'],
  ['a=1&api-key=k;b=2', 'a=1;b=2'],
  ['api-key;api_key=k;a=1', 'a=1'],
  ['a=1%3Bapi-key=k', 'a=1%3Bapi-key=k'],
])('without removes the keys from %j: %j', (query, rest) => {
  expect(withoutParameters(query, ['api-key', 'api_key'])).toBe(rest);
});

it.each([
  ['api-version=2024-10-21', ''],
  ['api-version=2024-10-21&after=x', 'after=x'],
  ['after=x&API-Version=preview&limit=2', 'after=x&limit=2'],
  ['api-version=v1&deployment=gpt-4o', 'model=gpt-4o'],
  ['Deployment=%40a%2Fb&x=deployment', 'model=%40a%2Fb&x=deployment'],
  ['de%70loyment=m', 'model=m'],
  ['deployment', 'deployment'],
  ['deployment-id=m', 'deployment-id=m'],
  ['a=%ZZ', 'a=%ZZ'],
])('plainQuery converts %j of an Azure OpenAI client to %j', (query, expected) => expect(plainQuery(query)).toBe(expected));

it.each([
  ['', 'model', 'a b', 'model=a%20b'],
  ['x=1&Model=old&y=2', 'model', 'new', 'x=1&model=new&y=2'],
  ['x=%20&y', 'model', undefined, 'x=%20&y'],
  ['api-version=1&API-VERSION=2&z=3', 'api-version', undefined, 'z=3'],
])('withParam: "%s" with %s=%s is "%s"', (query, name, value, expected) => {
  expect(withParam(query, name, value)).toBe(expected);
});
