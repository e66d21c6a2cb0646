import type { HeaderBag } from '../http/headers.ts';
import { booleanIn } from '../text/boolean-text.ts';

/** `x-gateway-debug: false`: the bodies of the request may not be stored. */
export const isPrivate = ({ headers }: { readonly headers: Pick<HeaderBag, 'gateway'> }): boolean =>
  booleanIn(headers.gateway('debug') ?? '') === false;
