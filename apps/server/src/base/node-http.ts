/**
 * Values of `node:http`. An import of that module reads all of its exports, and one of them, `WebSocket`, loads Node's
 * whole client for HTTP: 16 MB after a start.
 */
export const { IncomingMessage, STATUS_CODES } = process.getBuiltinModule("node:http");
