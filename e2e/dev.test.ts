import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { freePort } from "./server.ts";

const DEV = join(import.meta.dirname, "../scripts/dev.mjs");
const EXPORT = {
	resourceSpans: [
		{
			scopeSpans: [
				{
					spans: [
						{
							traceId: "5b8efff798038103d269b633813fc60c",
							spanId: "eee19b7ec3c1b174",
							name: "hello",
							startTimeUnixNano: "1700000000000000000",
							endTimeUnixNano: "1700000000500000000",
						},
					],
				},
			],
		},
	],
};

test("npm run dev takes exports, and hands requests of the page on to the server", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-dev-"));
	const [port, grpcPort] = await Promise.all([freePort(), freePort()]);
	const settings = { SERVICE_PORT: `${port}`, SERVICE_GRPC_PORT: `${grpcPort}`, SERVICE_WORKING_DIR: folder };
	const dev = spawn(process.execPath, [DEV], { env: { ...process.env, ...settings } });
	let output = "";
	for (const stream of [dev.stdout, dev.stderr])
		stream.setEncoding("utf8").on("data", (part: string) => {
			output += stripVTControlCharacters(part);
		});
	try {
		await expect.poll(() => output).toContain("Spanward is ready");
		await expect.poll(() => output).toMatch(/Local: .*\/\n/);
		const [, page] = /Local: *(\S+)\n/.exec(output) ?? [];
		const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(EXPORT) };
		const sent = await fetch(`http://127.0.0.1:${port}/v1/traces`, init);
		expect(sent.status, output).toBe(200);
		const stored = await fetch(new URL("/v1/projects/default/spans", page));
		expect(await stored.json()).toMatchObject({ data: [{ name: "hello" }] });
		// A way to sign in that is not set up: the server sends back to the log-in page, Vite would answer with the app.
		const signIn = await fetch(new URL("/oauth2/none/login", page), { method: "POST", redirect: "manual" });
		expect(signIn.status).not.toBe(200);
		expect(signIn.headers.get("x-request-id")).not.toBeNull();
		expect(output).not.toContain("Failed running");
	} finally {
		if (dev.kill("SIGTERM")) await once(dev, "exit");
		// Its server may end last.
		await rm(folder, { recursive: true, force: true, maxRetries: 100, retryDelay: 100 });
	}
});
