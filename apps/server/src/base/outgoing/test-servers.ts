import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";

const CERTIFICATES = join(import.meta.dirname, "../../../../../e2e/certificates");

/** PEM: the authority of the certificates that {@link serve} names, but for `untrusted`. */
export const AUTHORITY = pem("authority.pem");

export interface TestServer extends AsyncDisposable {
	readonly port: number;
}

/** @param certificate of e2e/certificates/make.sh, to serve TLS with */
export async function serve(answer: RequestListener, certificate?: string): Promise<TestServer> {
	if (certificate === undefined) return await listen(createServer(answer));
	return await listen(createTlsServer({ cert: pem(`${certificate}.pem`), key: pem(`${certificate}.key`) }, answer));
}

export interface TestProxy extends TestServer {
	/** What it was asked to connect to, in order. */
	readonly asked: readonly string[];
}

/**
 * A proxy that connects whatever it is asked for to one port of this machine.
 * @param authorization the header that it wants
 */
export async function startProxy(port: number, authorization: string): Promise<TestProxy> {
	const asked: string[] = [];
	const tunnels = new Set<Socket>();
	const server = createServer((_, response) => void response.writeHead(400).end());
	server.on("connect", (request, socket: Socket) => {
		asked.push(request.url ?? "");
		tunnels.add(socket.on("error", () => {}));
		if (request.headers["proxy-authorization"] !== authorization) {
			socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
			return;
		}
		if (request.url?.startsWith("blocked.") === true) {
			socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
			return;
		}
		const onward = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
		tunnels.add(onward.on("error", () => {}));
		onward.pipe(socket).pipe(onward);
	});
	const listening = await listen(server);
	return {
		asked,
		port: listening.port,
		async [Symbol.asyncDispose]() {
			for (const tunnel of tunnels) tunnel.destroy();
			await listening[Symbol.asyncDispose]();
		},
	};
}

async function listen(server: Server): Promise<TestServer> {
	await once(server.listen(0, "127.0.0.1"), "listening");
	return {
		port: (server.address() as AddressInfo).port,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await once(server.close(), "close");
		},
	};
}

function pem(name: string): string {
	return readFileSync(join(CERTIFICATES, name), "utf8");
}
