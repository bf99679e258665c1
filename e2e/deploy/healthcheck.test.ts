import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../apps/server/src/base/config.ts";
import { readTls, servesTls } from "../../apps/server/src/base/settings/tls-material.ts";

const HEALTH_CHECK = join(import.meta.dirname, "../../deploy/docker/healthcheck.mjs");
const pem = (name: string) => join(import.meta.dirname, "../certificates", name);
const TLS = { SERVICE_TLS_CERT_FILE: pem("server.pem"), SERVICE_TLS_KEY_FILE: pem("server.key") };

/** Serves `/readyz` as the server does with these settings. @returns whether the health check is content with it */
async function isHealthy(settings: Readonly<Record<string, string>>, status = 200): Promise<boolean> {
	const config = readConfig(settings);
	const options: ServerOptions = readTls(config).material ?? {};
	const server = (servesTls(config).http ? createHttpsServer(options) : createHttpServer()).on(
		"request",
		({ url }: { url: string }, response: { writeHead(code: number): { end(): void } }) =>
			response.writeHead(url === "/readyz" ? status : 404).end(),
	);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	const port = typeof address === "object" ? String(address?.port) : "";
	try {
		const child = spawn(process.execPath, [HEALTH_CHECK], {
			env: { ...settings, SERVICE_HOST: "0.0.0.0", SERVICE_PORT: port },
			stdio: "ignore",
		});
		const [code] = await once(child, "exit");
		return code === 0;
	} finally {
		server.close();
		server.closeAllConnections();
	}
}

test.each([
	["no TLS", {}],
	["TLS", { ...TLS, SERVICE_TLS_ENABLED: "true" }],
	["TLS for gRPC alone", { ...TLS, SERVICE_TLS_ENABLED: "true", SERVICE_TLS_ENABLED_FOR_HTTP: "false" }],
	["TLS for HTTP alone", { ...TLS, SERVICE_TLS_ENABLED_FOR_HTTP: " True " }],
	[
		"certificates of clients",
		{
			...TLS,
			SERVICE_TLS_ENABLED: "true",
			SERVICE_TLS_VERIFY_CLIENT: "true",
			SERVICE_TLS_CA_FILE: pem("authority.pem"),
		},
	],
])("the health check of the image finds a server with %s well", async (_name, settings) => {
	expect(await isHealthy(settings)).toBe(true);
});

test("the health check of the image fails while the server is not ready, and where nothing listens", async () => {
	expect(await isHealthy({}, 503)).toBe(false);
	const child = spawn(process.execPath, [HEALTH_CHECK], {
		env: { ...TLS, SERVICE_PORT: "1", SERVICE_TLS_ENABLED: "true", SERVICE_TLS_VERIFY_CLIENT: "true" },
		stdio: "ignore",
	});
	const [code] = await once(child, "exit");
	expect(code).toBe(1);
});
