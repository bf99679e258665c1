import { type IncomingMessage, request as requestOf, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ProviderState } from "./state.ts";

/** Hosts of providers and their authorities, which the proxy leads to the stand-in's own TLS. */
const PROVIDERS = [
	/^api\.openai\.com$/,
	/^api\.anthropic\.com$/,
	/^[a-z0-9-]+\.googleapis\.com$/,
	/^login\.microsoftonline\.(com|us)$/,
	/\.openai\.azure\.com$/,
	/^bedrock(-runtime)?\.[a-z0-9-]+\.amazonaws\.com$/,
];

/** Makes a server a proxy: CONNECT, and requests for whole addresses. `providersPort` is where providers are played. */
export function serveProxy(server: Server, state: ProviderState, providersPort: () => number): void {
	server.on("connect", (request: IncomingMessage, socket: Duplex) => {
		socket.on("error", () => socket.destroy());
		const target = request.url ?? "";
		const refusal = admit(request, target, state);
		if (refusal === "silent") return;
		if (refusal === "cut") socket.destroy();
		else if (refusal === undefined) openTunnel(target, socket, providersPort());
		else socket.end(`HTTP/1.1 ${refusal}\r\n${refusal.startsWith("407") ? CHALLENGE : ""}content-length: 0\r\n\r\n`);
	});
	server.on("request", (request: IncomingMessage, response: ServerResponse) => {
		const refusal = admit(request, request.url ?? "", state);
		if (refusal === "silent") return;
		if (refusal === "cut") request.socket.destroy();
		else if (refusal === undefined) forward(request, response);
		else response.writeHead(Number(refusal.slice(0, 3)), { "proxy-authenticate": "Basic" }).end();
	});
}

const CHALLENGE = 'proxy-authenticate: Basic realm="proxy"\r\n';

/** Records who asks, and says how they are turned away, or undefined. */
function admit({ headers }: IncomingMessage, target: string, state: ProviderState): string | undefined {
	const { credentials, mode = "open" } = state.proxy;
	const authorization = headers["proxy-authorization"];
	const expected =
		credentials && `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64")}`;
	const isKnown = !expected || authorization === expected;
	const refusals = {
		open: undefined,
		refuse: "403 Forbidden",
		unavailable: "502 Bad Gateway",
		silent: "silent",
		cut: "cut",
	};
	const refusal = isKnown ? refusals[mode] : "407 Proxy Authentication Required";
	const status = Number.parseInt(refusal ?? "200", 10) || 0;
	state.connects.push({ target, ...(authorization === undefined ? {} : { authorization }), status, at: Date.now() });
	return refusal;
}

function openTunnel(target: string, socket: Duplex, providersPort: number): void {
	const colon = target.lastIndexOf(":");
	const host = target.slice(0, colon).replace(/^\[|\]$/g, "");
	const isProvider = PROVIDERS.some((pattern) => pattern.test(host));
	const upstream: Socket = isProvider
		? connect(providersPort, "127.0.0.1")
		: connect(Number(target.slice(colon + 1)), host);
	upstream.on("connect", () => {
		socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
		socket.pipe(upstream).pipe(socket);
	});
	upstream.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"));
	socket.on("close", () => upstream.destroy());
}

function forward(request: IncomingMessage, response: ServerResponse): void {
	const { "proxy-authorization": _credentials, "proxy-connection": _connection, ...headers } = request.headers;
	const further = requestOf(request.url ?? "", { method: request.method ?? "GET", headers }, (answer) => {
		response.writeHead(answer.statusCode ?? 502, answer.headers);
		answer.pipe(response);
	});
	further.on("error", () => response.writeHead(502).end());
	request.pipe(further);
}
