import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeSpans, makeSpan, openReceiver, stringAttribute } from "./test-receiver.ts";

let stack = new AsyncDisposableStack();
beforeEach(() => {
	stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

function post(url: string, body: Uint8Array<ArrayBuffer>): Promise<Response> {
	return fetch(`${url}/v1/traces`, { method: "POST", headers: { "content-type": "application/x-protobuf" }, body });
}

async function makeFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-faults-"));
	stack.defer(() => rm(folder, { recursive: true }));
	return folder;
}

/** Incompressible text, so that the file grows with it. */
function randomText(bytes: number): string {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536))))
		.toString("hex")
		.slice(0, bytes);
}

test("a burst beyond the queue's size is taken, a part of it late", async () => {
	const receiver = stack.use(await openReceiver({ SERVICE_INGEST_QUEUE_BYTES: "1048576" }));
	const text = "x".repeat(400_000);
	const bodies = Array.from({ length: 24 }, () =>
		encodeSpans([makeSpan({ attributes: [stringAttribute("text", text)] })]),
	);
	const responses = await Promise.all(bodies.map((body) => post(receiver.url, body)));
	expect(responses.map(({ status }) => status)).toEqual(bodies.map(() => 200));
	expect(receiver.storedSpans()).toHaveLength(24);
	expect(receiver.ingest.health()).toMatchObject({ queuedBytes: 0, refusedRequests: {} });
});

test("overload answers 503 with Retry-After, and a sender that retries loses nothing", async () => {
	const receiver = stack.use(await openReceiver({ SERVICE_INGEST_QUEUE_BYTES: "1048576" }));
	const held = await receiver.ingest.admit(1_048_576);
	const body = encodeSpans([makeSpan()]);
	const refused = await post(receiver.url, body);
	expect(refused.status).toBe(503);
	expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
	expect(receiver.ingest.health().refusedRequests).toEqual({ queue_full: 1 });

	held?.release();
	expect((await post(receiver.url, body)).status).toBe(200);
	expect(receiver.storedSpans()).toHaveLength(1);
	expect(receiver.ingest.health().queuedBytes).toBe(0);
});

test("a storage that cannot be opened answers 503, and works once it is there", async () => {
	const folder = join(await makeFolder(), "data");
	await mkdir(folder);
	const receiver = stack.use(await openReceiver({}, folder));
	await rename(folder, `${folder}-gone`);
	const refused = await post(receiver.url, encodeSpans([makeSpan()]));
	expect(refused.status).toBe(503);
	expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
	expect(receiver.ingest.health().lastError?.message).toContain("storage");

	await rename(`${folder}-gone`, folder);
	expect((await post(receiver.url, encodeSpans([makeSpan()]))).status).toBe(200);
	expect(receiver.storedSpans()).toHaveLength(1);
});

/** A file system of its own, small enough to fill; undefined where this process may not mount one. */
async function mountSmall(): Promise<string | undefined> {
	const folder = await makeFolder();
	try {
		execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], { stdio: "ignore" });
	} catch {
		return undefined;
	}
	stack.defer(() => void execFileSync("/bin/umount", ["--lazy", folder]));
	return folder;
}

test("a full disk answers 503, loses nothing that was acknowledged, and works when there is room", async (context) => {
	const folder = await mountSmall();
	if (folder === undefined) return context.skip("this process may not mount a file system");
	const receiver = stack.use(await openReceiver({ SERVICE_INGEST_WORKERS: "1" }, folder));
	let stored = 0;
	let response = await post(receiver.url, encodeSpans([makeSpan()]));
	while (response.status === 200) {
		stored += 1;
		const attributes = [stringAttribute("text", randomText(100_000))];
		response = await post(receiver.url, encodeSpans([makeSpan({ attributes })]));
	}
	expect(response.status).toBe(503);
	expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
	expect(receiver.ingest.health().refusedRequests).toEqual({ storage_full: 1 });
	expect(stored).toBeGreaterThan(5);
	const body = encodeSpans([makeSpan({ attributes: [stringAttribute("text", randomText(100_000))] })]);
	for (let again = 0; again < 5; again += 1) expect((await post(receiver.url, body.slice())).status).toBe(503);
	expect(receiver.logged).toEqual([expect.stringMatching(/^\{"reason":"full","detail":"[^\\]+","refused":1,/)]);

	execFileSync("/bin/mount", ["-o", "remount,size=32m", folder]);
	expect((await post(receiver.url, encodeSpans([makeSpan()]))).status).toBe(200);
	expect(receiver.logged[1]).toMatch(/"refused":6,.*stored again/);
	expect(receiver.storedSpans()).toHaveLength(stored + 1);
});

test("a disk that has become read-only answers 503, and works when it is writable again", async (context) => {
	const folder = await mountSmall();
	if (folder === undefined) return context.skip("this process may not mount a file system");
	const receiver = stack.use(await openReceiver({ SERVICE_INGEST_WORKERS: "1" }, folder));
	execFileSync("/bin/mount", ["-o", "remount,ro", folder]);
	const refused = await post(receiver.url, encodeSpans([makeSpan()]));
	expect(refused.status).toBe(503);
	execFileSync("/bin/mount", ["-o", "remount,rw", folder]);
	expect((await post(receiver.url, encodeSpans([makeSpan()]))).status).toBe(200);
	expect(receiver.storedSpans()).toHaveLength(1);
});

test("a server that stops answers what it has taken", async () => {
	const folder = await makeFolder();
	const receiver = await openReceiver({}, folder);
	const bodies = Array.from({ length: 20 }, () => encodeSpans([makeSpan()]));
	const answers = Promise.all(
		bodies.map((body) => receiver.ingest.submit({ signal: "traces", format: "protobuf", encoding: "identity", body })),
	);
	await receiver[Symbol.asyncDispose]();
	expect((await answers).map(({ status }) => status)).toEqual(bodies.map(() => 200));
	expect(receiver.storedSpans()).toHaveLength(20);
});
