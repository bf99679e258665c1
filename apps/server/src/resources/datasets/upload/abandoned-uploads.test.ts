import { readdir, readlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, expect, it } from "vitest";
import { openTestApp } from "#test-app.ts";
import { TEST_SECRETS } from "#test-principals.ts";
import { formOf, uploadFile } from "./test-uploads.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());

const port = Number(new URL(await server.app.listen({ host: "127.0.0.1", port: 0 })).port);

it("answers files of the sizes at which chunks of the body end and begin", async () => {
	const statuses = [66, 72, 90, 108, 131, 200, 600].map(async (kibibytes) => {
		const fields = [
			["name", `${kibibytes} KiB`],
			["input_keys[]", "q"],
		] as const;
		const { headers, payload } = formOf(fields, { content: `q\n${`${"y".repeat(1_023)}\n`.repeat(kibibytes)}` });
		const response = await fetch(`http://127.0.0.1:${port}/v1/datasets/upload`, {
			method: "POST",
			headers,
			body: payload,
		});
		return response.status;
	});
	expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
});

it.each([
	["a form of nothing but boundaries", "--x\r\n", "422"],
	["a form larger than is taken", "", "413"],
])("answers %s while it still comes, and hangs up", async (_what, piece, status) => {
	const socket = connect(port, "127.0.0.1").on("error", () => undefined);
	socket.write(
		[
			"POST /v1/datasets/upload HTTP/1.1",
			"Host: localhost",
			"Content-Type: multipart/form-data; boundary=x",
			piece === "" ? "Content-Length: 1000000000000" : "Transfer-Encoding: chunked",
			"\r\n",
		].join("\r\n"),
	);
	const body = piece.repeat(10_000);
	if (piece !== "")
		for (let sent = 0; sent < 100; sent += 1) socket.write(`${body.length.toString(16)}\r\n${body}\r\n`);
	const answer = Buffer.concat(await socket.toArray()).toString();
	expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
	expect(answer).toMatch(/^connection: close\r$/im);
});

it("answers that uploads cannot be stored when a file is in the place of their folder", async () => {
	const lines: string[] = [];
	await using app = await openTestApp({}, {}, pino({ level: "warn" }, { write: (line) => lines.push(line) }));
	await writeFile(join(app.context.config.SERVICE_WORKING_DIR, "uploads"), "");
	const answer = await uploadFile(app, [["name", "kept nowhere"]], { content: "q\n1\n" });
	expect(answer).toMatchObject({ status: 507, text: expect.stringContaining("upload folder") });
	expect(lines).toEqual([expect.stringMatching(/uploads_not_writable.*EEXIST|EEXIST.*uploads_not_writable/)]);
});

it.skipIf(process.platform !== "linux")("closes the file of a sender that hangs up before it is refused", async () => {
	const { headers, payload } = formOf([["name", "gone"]], { content: "q\n1\n".repeat(250_000) });
	const head = [
		"POST /v1/datasets/upload?sync=perhaps HTTP/1.1",
		"Host: localhost",
		`Content-Type: ${headers["content-type"]}`,
		`Content-Length: ${payload.length}`,
	].join("\r\n");
	for (let round = 0; round < 60; round += 1) {
		const socket = connect(port, "127.0.0.1").on("error", () => undefined);
		socket.write(`${head}\r\n\r\n`);
		await new Promise((sent) => socket.write(payload, sent));
		await sleep(round % 5);
		socket.destroy();
	}
	await expect.poll(openUploads).toEqual([]);
});

it("leaves room for other callers' uploads, however slowly somebody sends theirs", async () => {
	await using secured = await openTestApp({ SERVICE_ENABLE_AUTH: "true", ...TEST_SECRETS });
	const { port } = new URL(await secured.app.listen({ host: "127.0.0.1", port: 0 }));
	const [slow, other] = [await secured.signedIn("MEMBER"), await secured.signedIn("MEMBER")];
	const { headers, payload } = formOf(
		[
			["name", "of another"],
			["input_keys[]", "q"],
		],
		{ content: "q\n1\n" },
	);
	const upload = (authorization: string) =>
		fetch(`http://127.0.0.1:${port}/v1/datasets/upload`, {
			method: "POST",
			headers: { ...headers, authorization },
			body: payload,
		});
	const head = [
		"POST /v1/datasets/upload HTTP/1.1",
		"Host: localhost",
		`Authorization: ${slow.headers.authorization}`,
		`Content-Type: ${headers["content-type"]}`,
		"Content-Length: 1000000",
	].join("\r\n");
	const sockets = Array.from({ length: 9 }, () => connect(Number(port), "127.0.0.1").on("error", () => undefined));
	for (const socket of sockets) socket.write(`${head}\r\n\r\n`);
	await expect.poll(async () => (await upload(slow.headers.authorization)).status).toBe(429);
	expect((await upload(other.headers.authorization)).status).toBe(200);
	for (const socket of sockets) socket.destroy();
});

async function openUploads(): Promise<string[]> {
	const folder = join(server.context.config.SERVICE_WORKING_DIR, "uploads");
	const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
	return (await Promise.all(links)).filter((file) => file.startsWith(folder));
}
