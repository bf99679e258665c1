import { readdir, readlink } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { openTestApp } from "../test-app.ts";
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
	for (let round = 0; round < 30; round += 1) {
		const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
		socket.write(`${head}\r\n\r\n`);
		await new Promise((sent) => socket.write(payload, sent));
		await sleep(round % 5);
		socket.destroy();
	}
	await expect.poll(openUploads, { timeout: 4_000 }).toEqual([]);
});

async function openUploads(): Promise<string[]> {
	const folder = join(server.context.config.SERVICE_WORKING_DIR, "uploads");
	const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
	return (await Promise.all(links)).filter((file) => file.startsWith(folder));
}
