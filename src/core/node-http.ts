import type * as Http from 'node:http';

/**
 * The used parts of `node:http`, loaded at run time. An import statement reads each export of the module, and some of
 * its getters load Node's `fetch` and HTTP/2 client: 13 MB, and 30 ms at each start.
 */
const http: typeof Http = process.getBuiltinModule('node:http');

export const { Agent, createServer, IncomingMessage, request, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  http;
export type IncomingMessage = Http.IncomingMessage;
export type ServerResponse = Http.ServerResponse;
