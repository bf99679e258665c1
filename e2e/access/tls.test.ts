import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { request as plainRequest } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type SecureVersion } from "node:tls";
import { promisify } from "node:util";
import { credentials, Client as GrpcClient, Metadata, status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { createTestServer, type TestServer } from "../server.ts";
import { ADMIN_SECRET, SECRET } from "./accounts.ts";

const CERTIFICATES = join(import.meta.dirname, "../certificates");
const pem = (name: string) => join(CERTIFICATES, name);

const TLS = {
	SERVICE_HOST: "127.0.0.1",
	SERVICE_TLS_ENABLED: "true",
	SERVICE_TLS_CERT_FILE: pem("server.pem"),
	SERVICE_TLS_KEY_FILE: pem("server.key"),
};

/** Starts a server and waits until it says that it listens. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<TestServer> {
	const server = await createTestServer({ authentication: false, env: { ...TLS, ...env } });
	const child = server.spawn();
	while (!server.output.includes("Spanward is ready")) {
		if (child.exitCode !== null) throw new Error(server.output);
		await sleep(20);
	}
	return server;
}

/** What a client trusts and shows. */
interface Identity {
	readonly ca?: Buffer;
	readonly cert?: Buffer;
	readonly key?: Buffer;
}

const authority = await readFile(pem("authority.pem"));
const trusting: Identity = { ca: authority };

async function withCertificate(name: string): Promise<Identity> {
	return { ca: authority, cert: await readFile(pem(`${name}.pem`)), key: await readFile(pem(`${name}.key`)) };
}

async function get(port: number, path: string, identity: Identity, token?: string): Promise<number> {
	const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
	const sent = request({ host: "localhost", family: 4, port, path, agent: false, headers, ...identity }).end();
	const [response] = await once(sent, "response");
	response.resume();
	await once(response, "end");
	return response.statusCode;
}

/** Sends an export without spans, as an OpenTelemetry exporter sends one, and answers the status of the call. */
function exportOverGrpc(port: number, identity: Identity, token?: string): Promise<status> {
	const channel = credentials.createSsl(identity.ca ?? null, identity.key ?? null, identity.cert ?? null);
	const client = new GrpcClient(`localhost:${port}`, channel);
	const metadata = new Metadata();
	if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
	const asIs = (bytes: Buffer) => bytes;
	return new Promise((resolve) => {
		client.makeUnaryRequest(
			"/opentelemetry.proto.collector.trace.v1.TraceService/Export",
			asIs,
			asIs,
			Buffer.alloc(0),
			metadata,
			{ deadline: Date.now() + 50_000 },
			(error) => {
				client.close();
				resolve(error?.code ?? status.OK);
			},
		);
	});
}

async function handshake(
	port: number,
	version: SecureVersion,
	identity = trusting,
	ciphers = "DEFAULT",
): Promise<string | null> {
	const socket = connect({
		port,
		host: "localhost",
		minVersion: version,
		maxVersion: version,
		// OpenSSL refuses the old versions by itself at its default level.
		ciphers: `${ciphers}@SECLEVEL=0`,
		...identity,
	});
	try {
		await once(socket, "secureConnect");
		return socket.getProtocol();
	} finally {
		socket.destroy();
	}
}

test("HTTP and gRPC are served over TLS, and not without", async () => {
	await using server = await start({ SERVICE_HOST_ROOT_PATH: "/traces" });
	expect(server.output).toContain(`Spanward is ready: https://127.0.0.1:${server.port}/traces`);
	expect(await get(server.port, "/traces/healthz", trusting)).toBe(200);
	expect(await exportOverGrpc(server.grpcPort, trusting)).toBe(status.OK);

	await expect(get(server.port, "/healthz", {})).rejects.toThrow(/verify|issuer|self-signed/);
	expect(await exportOverGrpc(server.grpcPort, {})).toBe(status.UNAVAILABLE);
	const plain = plainRequest({ host: "127.0.0.1", port: server.port, path: "/healthz", agent: false }).end();
	await expect(once(plain, "response")).rejects.toThrow();
	expect(await get(server.port, "/traces/healthz", trusting)).toBe(200);
});

test("versions below TLS 1.2 are refused by both", async () => {
	await using server = await start();
	for (const port of [server.port, server.grpcPort]) {
		expect(await handshake(port, "TLSv1.2")).toBe("TLSv1.2");
		expect(await handshake(port, "TLSv1.3")).toBe("TLSv1.3");
		await expect(handshake(port, "TLSv1.1")).rejects.toThrow(/alert|version|EPROTO|ECONNRESET/);
	}
});

test("of TLS 1.2 both refuse RSA key exchange and CBC", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-tls-"));
	const [cert, key] = [join(folder, "rsa.pem"), join(folder, "rsa.key")];
	const newKey = ["-newkey", "rsa:2048", "-nodes", "-keyout", key];
	const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
	await promisify(execFile)("openssl", ["req", "-x509", ...newKey, "-out", cert, "-days", "2", ...subject]);
	const trustingIt = { ca: await readFile(cert) };
	await using server = await start({ SERVICE_TLS_CERT_FILE: cert, SERVICE_TLS_KEY_FILE: key });
	for (const port of [server.port, server.grpcPort]) {
		for (const old of ["AES256-GCM-SHA384", "AES128-SHA", "ECDHE-RSA-AES256-SHA384", "ECDHE-RSA-AES128-SHA"]) {
			await expect(handshake(port, "TLSv1.2", trustingIt, old), old).rejects.toThrow(/alert|EPROTO|ECONNRESET/);
		}
		for (const good of ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305"]) {
			expect(await handshake(port, "TLSv1.2", trustingIt, good)).toBe("TLSv1.2");
		}
	}
	await rm(folder, { recursive: true });
});

test("credentials are asked for over TLS as well, by HTTP and by gRPC", async () => {
	await using server = await start({
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_SECRET: SECRET,
		SERVICE_ADMIN_SECRET: ADMIN_SECRET,
	});
	expect(await get(server.port, "/v1/projects", trusting)).toBe(401);
	expect(await get(server.port, "/v1/projects", trusting, ADMIN_SECRET)).toBe(200);
	expect(await exportOverGrpc(server.grpcPort, trusting)).toBe(status.UNAUTHENTICATED);
	expect(await exportOverGrpc(server.grpcPort, trusting, ADMIN_SECRET)).toBe(status.OK);
});

test("the switch of one protocol overrides the general one", async () => {
	await using server = await start({ SERVICE_TLS_ENABLED_FOR_GRPC: "false" });
	expect(await get(server.port, "/healthz", trusting)).toBe(200);
	await expect(handshake(server.grpcPort, "TLSv1.3")).rejects.toThrow();

	await using other = await start({ SERVICE_TLS_ENABLED: "false", SERVICE_TLS_ENABLED_FOR_GRPC: "true" });
	expect(other.output).toContain(`Spanward is ready: http://127.0.0.1:${other.port}`);
	expect((await fetch(`http://127.0.0.1:${other.port}/healthz`)).status).toBe(200);
	expect(await exportOverGrpc(other.grpcPort, trusting)).toBe(status.OK);
});

test("with client certificates required, only clients with one of the authority get in, by HTTP and by gRPC", async () => {
	await using server = await start({
		SERVICE_TLS_VERIFY_CLIENT: "true",
		SERVICE_TLS_CA_FILE: pem("authority.pem"),
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_SECRET: SECRET,
		SERVICE_ADMIN_SECRET: ADMIN_SECRET,
	});
	const known = await withCertificate("client");
	const unknown = await withCertificate("untrusted-client");
	expect(await get(server.port, "/healthz", known)).toBe(200);
	expect(await exportOverGrpc(server.grpcPort, known, ADMIN_SECRET)).toBe(status.OK);
	// A certificate is no credential.
	expect(await get(server.port, "/v1/projects", known)).toBe(401);
	for (const identity of [trusting, unknown]) {
		await expect(get(server.port, "/healthz", identity)).rejects.toThrow(/alert|ECONNRESET|hang up|EPIPE/);
		expect(await exportOverGrpc(server.grpcPort, identity, ADMIN_SECRET)).toBe(status.UNAVAILABLE);
	}
});

test("an encrypted key is decrypted with its password, in the older form of OpenSSL too", async () => {
	await using server = await start({
		SERVICE_TLS_KEY_FILE: pem("server-encrypted.key"),
		SERVICE_TLS_KEY_FILE_PASSWORD: "test-key-password",
	});
	expect(await get(server.port, "/healthz", trusting)).toBe(200);
	expect(server.output).not.toContain("test-key-password");

	await using older = await start({
		SERVICE_TLS_KEY_FILE: pem("server-traditional.key"),
		SERVICE_TLS_KEY_FILE_PASSWORD: "test-key-password",
	});
	expect(await get(older.port, "/healthz", trusting)).toBe(200);
	expect(await exportOverGrpc(older.grpcPort, trusting)).toBe(status.OK);
});

test("an expired certificate is served, with a warning", async () => {
	await using server = await start({
		SERVICE_TLS_CERT_FILE: pem("expired.pem"),
		SERVICE_TLS_KEY_FILE: pem("expired.key"),
	});
	expect(server.output).toMatch(/SERVICE_TLS_CERT_FILE: the certificate of CN=localhost expired on /);
	await expect(get(server.port, "/healthz", trusting)).rejects.toThrow(/expired/);
});

test("a renewed certificate is taken up on SIGHUP, and a broken one is not", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-tls-"));
	const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
	const install = async (name: string) => {
		await copyFile(pem(`${name}.pem`), cert);
		await copyFile(pem(`${name}.key`), key);
	};
	await install("wrong-host");
	await using server = await start({ SERVICE_TLS_CERT_FILE: cert, SERVICE_TLS_KEY_FILE: key });
	expect(await peerNames(server.port)).toContain("elsewhere.example");

	await install("server");
	process.kill(server.pid, "SIGHUP");
	await until(() => server.output.includes("serving with the renewed certificate"));
	for (const port of [server.port, server.grpcPort]) expect(await peerNames(port)).toContain("localhost");

	await copyFile(pem("expired.key"), key);
	process.kill(server.pid, "SIGHUP");
	await until(() => server.output.includes("the certificate was not replaced"));
	expect(await get(server.port, "/healthz", trusting)).toBe(200);
	await rm(folder, { recursive: true });
});

async function peerNames(port: number): Promise<string | undefined> {
	const socket = connect({ port, host: "localhost", ca: authority, checkServerIdentity: () => undefined });
	await once(socket, "secureConnect");
	const names = socket.getPeerCertificate().subjectaltname;
	socket.destroy();
	return names;
}

async function until(isSo: () => boolean): Promise<void> {
	const deadline = Date.now() + 200_000;
	while (!isSo()) {
		if (Date.now() > deadline) throw new Error("it did not come about");
		await sleep(20);
	}
}
