import { type ErrorCode, GatewayError } from '../../core/error.ts';

type Noun = 'config' | 'prompt' | 'provider';

/** Error for the name of an entry in a path. @param names all names, for a suggestion */
export const notFound = (noun: Noun, name: string, names: readonly string[]): GatewayError =>
  new GatewayError(`${noun}_not_found` satisfies ErrorCode, {
    message: `No ${noun} is named "${name.slice(0, 200)}".`,
    known: { requested: name, noun: `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}s`, names },
  });
