import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startServer, type TestServer } from "./server.ts";
import { COMMAND } from "./spanward-command.ts";

async function send(server: TestServer, n: number): Promise<void> {
	const now = `${BigInt(Date.now()) * 1_000_000n}`;
	const spans = [{ traceId: `${n}`.padStart(32, "a"), spanId: `${n}`.padStart(16, "a"), name: `trace ${n}` }];
	const resourceSpans = [
		{ scopeSpans: [{ spans: spans.map((span) => ({ ...span, startTimeUnixNano: now, endTimeUnixNano: now })) }] },
	];
	const { status } = await fetch(`${server.url}/v1/traces`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ resourceSpans }),
	});
	expect(status).toBe(200);
}

test("AG20 tail goes on through a restart of the server: nothing twice, nothing lost, the gap is said; Ctrl-C ends it", async () => {
	await using server = await startServer({ inProcess: true, authentication: false });
	await send(server, 1);
	const child = spawn(process.execPath, [COMMAND, "traces", "tail", "--json", "--url", server.url], {
		env: { PATH: process.env["PATH"] },
		stdio: ["ignore", "pipe", "pipe"],
	});
	// A second one that shows less, and cannot know whether it does before a trace is stored.
	const filtered = spawn(
		process.execPath,
		[COMMAND, "traces", "tail", "--json", "--filter", "name in ['trace 1', 'trace 4']", "--url", server.url],
		{ env: { PATH: process.env["PATH"] }, stdio: ["ignore", "pipe", "ignore"] },
	);
	let [shown, said, matching] = ["", "", ""];
	child.stdout.on("data", (chunk: Buffer) => (shown += chunk));
	child.stderr.on("data", (chunk: Buffer) => (said += chunk));
	filtered.stdout.on("data", (chunk: Buffer) => (matching += chunk));
	const names = (lines = shown) =>
		lines
			.split("\n")
			.filter(Boolean)
			.map((line): string => JSON.parse(line).root_name);
	await expect.poll(() => names()).toEqual(["trace 1"]);
	await send(server, 2);
	await expect.poll(() => names()).toEqual(["trace 1", "trace 2"]);
	await server.stop();
	await expect.poll(() => said).toContain("The connection was lost at ");
	await server.start();
	await send(server, 3);
	await expect.poll(() => said).toMatch(/Connected again at .*; \d traces? came meanwhile\./);
	await send(server, 4);
	await expect.poll(() => names()).toEqual(["trace 1", "trace 2", "trace 3", "trace 4"]);
	await expect.poll(() => names(matching)).toEqual(["trace 1", "trace 4"]);
	filtered.kill("SIGINT");
	child.kill("SIGINT");
	expect((await once(child, "exit"))[0]).toBe(130);
	expect(said).toMatch(/\nInterrupted\. .*\n$/);
});
