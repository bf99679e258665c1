import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import type { CertificateName, ListenerName, Ports } from "./control.ts";
import { serveProxy } from "./proxy.ts";
import { answerRequest } from "./server.ts";
import { ProviderState } from "./state.ts";

const CERTIFICATES = join(import.meta.dirname, "../../certificates");

const state = new ProviderState();

function listener(name: ListenerName): RequestListener {
	return (request, response) => {
		const { socket } = request;
		const serverName = socket instanceof TLSSocket && socket.servername ? socket.servername : undefined;
		answerRequest(request, response, state, name, serverName).catch((error: unknown) => {
			// A body that breaks off with its connection; all else is a fault of the stand-in, which shows.
			if (request.destroyed && !request.complete) return;
			process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
			response.destroy();
		});
	};
}

function startTls(name: CertificateName): Promise<number> {
	// The names of providers that are reached through the proxy are in a certificate of their own, of the same authority.
	const providers = name === "server" ? readCertificate("providers") : undefined;
	const server = createTlsServer(readCertificate(name), listener(name));
	if (providers !== undefined) for (const host of PROVIDER_HOSTS) server.addContext(host, providers);
	return listen(server);
}

const PROVIDER_HOSTS = [
	"api.openai.com",
	"api.anthropic.com",
	"*.googleapis.com",
	"login.microsoftonline.com",
	"login.microsoftonline.us",
	"*.openai.azure.com",
	"*.us-east-1.amazonaws.com",
];

function readCertificate(name: string): { readonly cert: Buffer; readonly key: Buffer } {
	return {
		cert: readFileSync(join(CERTIFICATES, `${name}.pem`)),
		key: readFileSync(join(CERTIFICATES, `${name}.key`)),
	};
}

async function listen(server: Server): Promise<number> {
	// Whoever keeps a connection may use it whenever it likes; tests make the faults, not a clock.
	Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
	await once(server.listen(0, "127.0.0.1"), "listening");
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP address");
	return address.port;
}

const proxy = createServer();
const tlsProxy = createTlsServer(readCertificate("server"));
const tls = {
	server: await startTls("server"),
	untrusted: await startTls("untrusted"),
	"wrong-host": await startTls("wrong-host"),
	expired: await startTls("expired"),
};
for (const server of [proxy, tlsProxy]) serveProxy(server, state, () => tls.server);
const ports: Ports = {
	http: await listen(createServer(listener("http"))),
	tls,
	proxy: await listen(proxy),
	tlsProxy: await listen(tlsProxy),
};
process.send?.(ports);
// It ends with whoever started it, however that ends.
process.on("disconnect", () => process.exit(0));
