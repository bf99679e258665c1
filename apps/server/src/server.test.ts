import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "main.ts");

let folder: string;
let running: ChildProcess[];
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-"));
	running = [];
});
afterEach(async () => {
	for (const child of running) child.kill("SIGKILL");
	await rm(folder, { recursive: true, force: true });
});

interface Started {
	readonly child: ChildProcess;
	readonly output: () => string;
	/** The address that it printed; rejects when it ends instead. */
	readonly address: Promise<string>;
	readonly exitCode: Promise<number>;
}

function start(settings: Readonly<Record<string, string>> = {}): Started {
	const env = {
		PATH: process.env["PATH"],
		SERVICE_WORKING_DIR: folder,
		SERVICE_PORT: "0",
		SERVICE_GRPC_PORT: "0",
		...settings,
	};
	const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "pipe"] });
	running.push(child);
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (part: string) => {
			output += part;
		});
	}
	const exitCode = once(child, "close").then(([code]) => Number(code));
	const address = new Promise<string>((resolve, reject) => {
		child.stdout.on("data", () => {
			const match = /Spanward is ready: (\S+)/.exec(output);
			if (match?.[1] !== undefined) resolve(match[1]);
		});
		void exitCode.then(() => reject(new Error(output)));
	});
	address.catch(() => undefined);
	return { child, output: () => output, address, exitCode };
}

test("listens on loopback, says where, and stops on SIGTERM with what it has accepted stored", async () => {
	const server = start({ SERVICE_HOST_ROOT_PATH: "/below" });
	const address = await server.address;
	expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/below$/);
	expect((await fetch(`${address}/readyz`)).status).toBe(200);
	const body = JSON.stringify({
		resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: "1".repeat(32), spanId: "1".repeat(16), name: "a" }] }] }],
	});
	const headers = { "content-type": "application/json" };
	expect((await fetch(`${address}/v1/traces`, { method: "POST", headers, body })).status).toBe(200);
	server.child.kill("SIGTERM");
	expect(await server.exitCode).toBe(0);

	const again = start();
	const { data } = (await (await fetch(`${await again.address}/v1/projects/default/traces`)).json()) as {
		data: unknown[];
	};
	expect(data).toHaveLength(1);
	again.child.kill("SIGINT");
	expect(await again.exitCode).toBe(0);
});

test("a second server on the same folder is refused and the first goes on", async () => {
	const first = start();
	const address = await first.address;
	const second = start();
	expect(await second.exitCode).toBe(1);
	expect(second.output()).toContain(`uses the folder ${folder}`);
	expect(second.output()).toContain("SERVICE_WORKING_DIR");
	expect((await fetch(`${address}/readyz`)).status).toBe(200);
});

test("an upload that stalls does not hold up the end", async () => {
	const server = start();
	const { port } = new URL(await server.address);
	const stalled = connect(Number(port), "127.0.0.1").on("error", () => {});
	stalled.write(
		"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\nContent-Length: 9\r\n\r\nabc",
	);
	await expect
		.poll(async () => await (await fetch(`http://127.0.0.1:${port}/v1/ingest/health`)).text())
		.not.toContain('"queued_bytes":0');
	server.child.kill("SIGTERM");
	expect(await server.exitCode).toBe(0);
	stalled.destroy();
});

test("all wrong settings are named at once", async () => {
	const server = start({ SERVICE_PORT: "http", SERVICE_HOST_ROOT_PATH: "no slash" });
	expect(await server.exitCode).toBe(78);
	expect(server.output()).toContain("SERVICE_PORT");
	expect(server.output()).toContain("SERVICE_HOST_ROOT_PATH");
});

test("a taken port is a sentence that names the setting", async () => {
	const other = createServer().listen(0, "127.0.0.1");
	await once(other, "listening");
	const address = other.address();
	const port = String(typeof address === "object" ? address?.port : "");
	for (const setting of ["SERVICE_PORT", "SERVICE_GRPC_PORT"]) {
		const server = start({ [setting]: port });
		expect(await server.exitCode).toBe(1);
		expect(server.output()).toContain(setting);
		expect(server.output()).not.toContain("    at ");
	}
	other.close();
});

test("a wider host is warned of while authentication is off", async () => {
	const server = start({ SERVICE_HOST: "0.0.0.0", SERVICE_ENABLE_AUTH: "false" });
	expect(await server.address).toMatch(/^http:\/\/localhost:\d+$/);
	expect(server.output()).toContain("authentication is off");
});
