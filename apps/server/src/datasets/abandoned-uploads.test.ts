import { readdir, readlink } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { openTestApp } from "../test-app.ts";
import { TEST_SECRETS } from "../test-principals.ts";
import { formOf } from "./test-uploads.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());

it.skipIf(process.platform !== "linux")("closes the file of a sender that hangs up before it is refused", async () => {
	const { port } = new URL(await server.app.listen({ host: "127.0.0.1", port: 0 }));
	const { headers, payload } = formOf([["name", "gone"]], { content: "q\n1\n".repeat(250_000) });
	const head = [
		"POST /v1/datasets/upload?sync=perhaps HTTP/1.1",
		"Host: localhost",
		`Content-Type: ${headers["content-type"]}`,
		`Content-Length: ${payload.length}`,
	].join("\r\n");
	for (let round = 0; round < 60; round += 1) {
		const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
		socket.write(`${head}\r\n\r\n`);
		await new Promise((sent) => socket.write(payload, sent));
		await sleep(round % 5);
		socket.destroy();
	}
	await expect.poll(openUploads).toEqual([]);
});

it("leaves room for the uploads of others, however slowly somebody sends theirs", async () => {
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
