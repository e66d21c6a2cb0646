import type { HeaderPairs } from '../../core/http/headers.ts';
import type { Call } from '../../core/provider.ts';
import { callerHeaders } from '../shared/request/caller-headers.ts';

/** Range and conditional request headers (RFC 9110 13, 14). */
const names = ['range', 'if-range', 'if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since'] as const;

/**
 * Returns the client's range and conditional headers, for responses whose bytes are passed unchanged. They must not be sent if
 * the lines of the file are rewritten, because a range of the provider's file does not match one of the rewritten file.
 */
export const fileHeaders = (call: Pick<Call, 'header'>): HeaderPairs => callerHeaders(call, names);
