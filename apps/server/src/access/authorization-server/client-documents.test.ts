import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";
import { ClientDocuments } from "./client-documents.ts";
import { KnownClients } from "./known-clients.ts";
import { ON } from "./test-program.ts";

const CERTIFICATES = join(import.meta.dirname, "../../../../../e2e/certificates");
const log = pino({ level: "silent" });

let server: Server;
let base: string;
let ca: string;
let asked: number;
let document: (id: string) => unknown;

beforeAll(async () => {
	const [key, cert, authority] = await Promise.all(
		["server.key", "server.pem", "authority.pem"].map((name) => readFile(join(CERTIFICATES, name), "utf8")),
	);
	ca = authority ?? "";
	server = createServer({ key, cert }, (request, response) => {
		asked += 1;
		if (request.url === "/moved") response.writeHead(302, { location: `${base}/client.json` });
		const body = document(`${base}${request.url}`);
		response.end(typeof body === "string" ? body : JSON.stringify(body));
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	base = `https://localhost:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
	asked = 0;
	document = (client_id) => ({ client_id, client_name: "Desk\u202e", redirect_uris: ["https://localhost/cb"] });
});
afterAll(() => server.close());

test("a program is what its document at its client_id says, and the document is read once in a while", async () => {
	await using documents = new ClientDocuments(["localhost"], log, ca);
	const found = { clientId: `${base}/client.json`, name: "Desk", redirectUris: ["https://localhost/cb"] };
	expect(await documents.find(`${base}/client.json`, "192.0.2.1")).toEqual(found);
	expect(await documents.find(`${base}/client.json`, "192.0.2.1")).toEqual(found);
	expect(asked).toBe(1);
});

test("nobody makes the server look through a host for documents", async () => {
	await using documents = new ClientDocuments(["localhost"], log, ca);
	for (let number = 0; number < 30; number++) await documents.find(`${base}/${number}`, "192.0.2.1");
	await expect(documents.find(`${base}/30`, "192.0.2.1")).rejects.toThrow("Too many programs");
	expect(await documents.find(`${base}/29`, "192.0.2.1")).toBeDefined();
	expect(await documents.find(`${base}/30`, "192.0.2.2")).toBeDefined();
	expect(asked).toBe(31);
});

test("only https addresses at the hosts of the setting are read, as they were sent", async () => {
	await using documents = new ClientDocuments(["localhost", "*.example.com"], log, ca);
	for (const clientId of [
		`${base}/`,
		base,
		`${base}/a/../client.json`,
		`${base}/client.json#x`,
		`${base.replace("https://", "https://user@")}/client.json`,
		`${base.replace("https://", "HTTPS://")}/client.json`,
		`${base.replace("https", "http")}/client.json`,
		"https://example.com/client.json",
		"https://example.com.evil.example/client.json",
		"https://localhost.evil.example/client.json",
	]) {
		const isRoot = clientId === `${base}/`;
		expect([clientId, isRoot || documents.isDocument(clientId)]).toEqual([clientId, isRoot]);
	}
	expect(documents.isDocument("https://a.example.com/client.json")).toBe(true);
	expect(asked).toBe(0);
	await using none = new ClientDocuments([], log, ca);
	expect(await none.find(`${base}/client.json`, "192.0.2.1")).toBeUndefined();
});

test("a host inside is asked only where the setting names it, not where a pattern happens to fit", async () => {
	const whys: unknown[] = [];
	const noting = { warn: (fields: { why?: unknown }) => void whys.push(fields.why) };
	const byAddress = base.replace("localhost", "127.0.0.1");
	document = () => ({
		...{ client_id: `${byAddress}/client.json`, client_name: "Desk" },
		redirect_uris: ["https://localhost/cb"],
	});
	await using fitting = new ClientDocuments(["*.0.0.1"], noting, ca);
	expect(fitting.isDocument(`${byAddress}/client.json`)).toBe(true);
	expect(await fitting.find(`${byAddress}/client.json`, "192.0.2.1")).toBeUndefined();
	await using named = new ClientDocuments(["127.0.0.1", "*.0.0.1", "*.0.0.2", "::1"], noting, ca);
	expect(await named.find(`${byAddress}/client.json`, "192.0.2.1")).toMatchObject({ name: "Desk" });
	// What is known of one that is named is nothing that another one may use.
	expect(await named.find(`${base.replace("localhost", "127.0.0.2")}/client.json`, "192.0.2.1")).toBeUndefined();
	expect([whys, asked]).toEqual([["forbidden_address", "forbidden_address"], 1]);
	// Nobody listens there; of IPv6, addresses have brackets that the setting does not have.
	expect(await named.find(`${base.replace("localhost", "[::1]")}/client.json`, "192.0.2.1")).toBeUndefined();
	expect(whys[2]).not.toBe("forbidden_address");
});

test("a document of another client, with a secret, with wrong addresses, moved, or none at all does not count", async () => {
	await using documents = new ClientDocuments(["localhost"], log, ca);
	const good = { redirect_uris: ["https://localhost/cb"] };
	const wrong: [string, (id: string) => unknown][] = [
		["/a", () => ({ ...good, client_id: `${base}/other` })],
		["/b", (client_id) => ({ ...good, client_id, client_secret: "s" })],
		["/c", (client_id) => ({ ...good, client_id, token_endpoint_auth_method: "client_secret_post" })],
		["/d", (client_id) => ({ client_id, redirect_uris: ["javascript:alert(1)"] })],
		["/e", (client_id) => ({ client_id })],
		["/f", () => "no JSON"],
		["/moved", (client_id) => ({ ...good, client_id })],
	];
	for (const [path, answer] of wrong) {
		document = answer;
		expect([path, await documents.find(base + path, "192.0.2.1")]).toEqual([path, undefined]);
	}
	const before = asked;
	await documents.find(`${base}/a`, "192.0.2.1");
	expect(asked).toBe(before);
});

test("a program that is let in is stored as its document is, and can be disabled", async () => {
	await using app = await openTestApp({ ...ON, SERVICE_OAUTH2_CLIENT_METADATA_HOSTS: "localhost" });
	const { json } = await app.get("/.well-known/oauth-authorization-server", { host: "localhost:6006" });
	expect(json.client_id_metadata_document_supported).toBe(true);
	await using documents = new ClientDocuments(["localhost"], log, ca);
	const clients = new KnownClients(app.context, documents);
	const client = await clients.find(`${base}/client.json`, "192.0.2.1");
	expect(client).toMatchObject({ id: undefined, kind: "metadata", disabled: false });
	if (client === undefined) throw new Error("there is no client");
	const id = await app.context.db.write((transaction) => clients.keep(transaction, client));
	expect(await app.context.db.write((transaction) => clients.keep(transaction, client))).toBe(id);
	await app.context.db.write((transaction) =>
		transaction.updateTable("oauth2_clients").set({ disabled: 1 }).where("id", "=", id).execute(),
	);
	expect(await clients.find(`${base}/client.json`, "192.0.2.1")).toMatchObject({ id, disabled: true });
});
