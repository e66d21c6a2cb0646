import type * as Http from 'node:http';

/**
 * What is used of `node:http` at run time. An import statement reads each export of a module, and some of this one load
 * Node's own `fetch` and HTTP/2 client when they are read: 13 MB, and 30 ms of each start.
 */
const http: typeof Http = process.getBuiltinModule('node:http');

export const { Agent, createServer, IncomingMessage, request, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  http;
export type IncomingMessage = Http.IncomingMessage;
export type ServerResponse = Http.ServerResponse;
