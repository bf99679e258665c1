import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
	brotliCompressSync,
	constants,
	createZstdCompress,
	deflateRawSync,
	deflateSync,
	gzipSync,
	zstdCompressSync,
} from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OutgoingGuard } from "./outgoing-guard.ts";
import { serve, type TestServer } from "./test-servers.ts";

const MIB = 1_048_576;
const ZEROS = Buffer.alloc(MIB);
const LARGE = Buffer.alloc(66 * MIB);

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

let server: TestServer;
let guard: OutgoingGuard;
let answer: Answer;

beforeAll(async () => {
	server = await serve((request, response) => void answer(response, request));
	guard = guardOf();
});

afterAll(async () => {
	await guard?.[Symbol.asyncDispose]();
	await server?.[Symbol.asyncDispose]();
});

function guardOf(times: { readonly gapMs?: number; readonly totalMs?: number } = {}): OutgoingGuard {
	return new OutgoingGuard({ allowedHosts: ["127.0.0.1"], allowsLoopback: false, ownPorts: [], times });
}

async function ask(how: Answer, init: RequestInit = {}, by = guard, timeoutMs = 600_000): Promise<Response> {
	answer = how;
	return await by.fetch({ timeoutMs })(`http://127.0.0.1:${server.port}/`, init);
}

/** Reads an answer to its end. Returns its bytes, and by how much the memory of this process was larger than before. */
async function drain(
	response: Response,
): Promise<{ readonly bytes: number; readonly error: unknown; readonly grown: number }> {
	const before = process.memoryUsage.rss();
	let bytes = 0;
	let most = before;
	try {
		for await (const piece of response.body ?? []) {
			bytes += piece.length;
			most = Math.max(most, process.memoryUsage.rss());
		}
		return { bytes, error: undefined, grown: most - before };
	} catch (error) {
		return { bytes, error, grown: most - before };
	}
}

/** Sends the same piece many times, as fast as it is read, until the reader hangs up. */
function flood(response: ServerResponse, piece: Uint8Array, times: number): void {
	const pieces = Readable.from(repeat(piece, times));
	response.on("close", () => pieces.destroy());
	pieces.pipe(response);
}

function* repeat<T>(item: T, times: number): Generator<T> {
	for (let count = 0; count < times; count++) yield item;
}

describe("an answer", () => {
	it("has status, headers and body, and the request is what was asked for", async () => {
		const response = await ask(
			async (to, request) => {
				const seen = [
					request.method,
					request.headers["x-own"],
					request.headers["accept-encoding"],
					await text(request),
				];
				to.writeHead(429, { "retry-after": "3", "x-two": ["a", "b"], "content-type": "application/json" });
				to.end(JSON.stringify(seen));
			},
			{ method: "POST", headers: { "X-Own": "1", "content-length": "999" }, body: "größe" },
		);
		expect([response.status, response.headers.get("retry-after"), response.headers.get("x-two")]).toEqual([
			429,
			"3",
			"a, b",
		]);
		expect(await response.json()).toEqual(["POST", "1", "identity", "größe"]);
	});

	it("comes piece by piece", async () => {
		const pieces = new PassThrough();
		const response = await ask((to) => {
			to.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
			pieces.pipe(to);
		});
		const reader = response.body?.getReader();
		for (const piece of ["data: 1\n\n", "data: 2\n\n"]) {
			pieces.write(piece);
			expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(piece);
		}
		pieces.end();
		expect((await reader?.read())?.done).toBe(true);
	});

	it("may be empty", async () => {
		const response = await ask((to) => to.writeHead(204).end());
		expect([response.status, response.body]).toEqual([204, null]);
	});

	it.each([
		["gzip", gzipSync],
		["deflate", deflateSync],
		["br", brotliCompressSync],
		["zstd", zstdCompressSync],
	] as const)("compressed by %s is read", async (encoding, compress) => {
		const response = await ask((to) => to.writeHead(200, { "content-encoding": encoding }).end(compress("hello")));
		expect([await response.text(), response.headers.get("content-encoding")]).toEqual(["hello", null]);
	});

	it.each([
		[
			"cut off",
			(to: ServerResponse) => to.writeHead(200, { "content-length": "9" }).write("x", () => to.destroy()),
			"interrupted",
		],
		["cut off in chunks", (to: ServerResponse) => to.writeHead(200).write("x", () => to.destroy()), "interrupted"],
		["with an end that is missing in gzip", compressed("gzip", gzipSync("hello").subarray(0, -9)), "interrupted"],
		["that is no gzip", compressed("gzip", Buffer.from("hello")), "bad_response"],
		["that is no zstd", compressed("zstd", Buffer.from("hello")), "bad_response"],
		["that is no brotli", compressed("br", Buffer.from("hello hello hello")), "bad_response"],
	] as const)("%s is an error", async (_, how, reason) => {
		const { error } = await drain(await ask(how));
		expect(error).toMatchObject({ name: "OutgoingFault", reason });
	});

	it.each(["compress", "gzip, gzip", "constructor"])("in the encoding %s is refused", async (encoding) => {
		const refused = expect(ask(compressed(encoding, Buffer.from("x")))).rejects;
		await refused.toMatchObject({ reason: "bad_response", message: expect.stringContaining("compressed") });
	});

	it("that is no HTTP is refused", async () => {
		await expect(ask((to) => to.socket?.end("SSH-2.0-OpenSSH_9\r\n"))).rejects.toMatchObject({
			reason: "bad_response",
		});
	});

	it("that ends before it begins is an interruption", async () => {
		await expect(ask((to) => to.socket?.destroy())).rejects.toMatchObject({ reason: "interrupted", isPassing: true });
	});
});

function compressed(encoding: string, body: Uint8Array): Answer {
	return (to) => to.writeHead(200, { "content-encoding": encoding }).end(body);
}

describe("E19: answers without end", () => {
	it.each([
		["first byte", () => undefined, 50, {}],
		["first byte of the body", (to: ServerResponse) => to.writeHead(200).flushHeaders(), 50, { gapMs: 50 }],
		["next piece", (to: ServerResponse) => to.writeHead(200).write("x"), 600_000, { gapMs: 50 }],
		[
			"next piece that decompresses",
			(to: ServerResponse) =>
				to.writeHead(200, { "content-encoding": "gzip" }).write(gzipSync("hello").subarray(0, 12)),
			600_000,
			{ gapMs: 50 },
		],
		["end", (to: ServerResponse) => flood(to.writeHead(200), Buffer.from("x"), Infinity), 200, { totalMs: 200 }],
	] as const)("that never get to their %s are given up in time", async (_, how, timeoutMs, times) => {
		await using quick = guardOf(times);
		const error: unknown = await ask(how, {}, quick, timeoutMs).then(
			async (response) => (await drain(response)).error,
			(caught: unknown) => caught,
		);
		expect(error).toMatchObject({ name: "OutgoingFault", reason: "timeout", isPassing: true });
	});

	it("are read to 64 MiB, and memory does not grow with them", async () => {
		const { bytes, error, grown } = await drain(
			await ask((to) => flood(to.writeHead(200, { "content-type": "application/json" }), ZEROS, 100)),
		);
		expect(error).toMatchObject({ reason: "bad_response", message: expect.stringContaining("64 MiB") });
		expect(bytes).toBeLessThanOrEqual(64 * MIB);
		expect(grown).toBeLessThan(100 * MIB);
	});

	it("that decompress to 10 GB are read to 64 MiB, and memory does not grow with them", async () => {
		const block = deflateRawSync(ZEROS, { finishFlush: constants.Z_FULL_FLUSH });
		const bomb: Answer = (to) => {
			to.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
			to.write(Buffer.from("1f8b0800000000000003", "hex"));
			return flood(to, block, 10_000);
		};
		const { bytes, error, grown } = await drain(await ask(bomb));
		expect(error).toMatchObject({ reason: "bad_response", message: expect.stringContaining("64 MiB") });
		expect(bytes).toBeLessThanOrEqual(64 * MIB);
		expect(grown).toBeLessThan(100 * MIB);
	});

	it.each([
		["deflate", deflateSync],
		["br", (large: Buffer) => brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
		["zstd", zstdCompressSync],
	] as const)("that decompress to more by %s are refused", async (encoding, compress) => {
		const { error, grown } = await drain(
			await ask((to) => {
				to.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(compress(LARGE));
			}),
		);
		expect(error).toMatchObject({ reason: "bad_response" });
		expect(grown).toBeLessThan(100 * MIB);
	});

	it("that claim a window of 128 MiB are refused", async () => {
		const compress = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } });
		const { error } = await drain(
			await ask((to) => {
				compress.pipe(to.writeHead(200, { "content-encoding": "zstd" }));
				compress.write("x");
				compress.end("y");
			}),
		);
		expect(error).toMatchObject({ reason: "bad_response", message: expect.stringContaining("decompressed") });
	});

	it.each([
		["text/event-stream", Buffer.from(`data: ${"x".repeat(5 * MIB)}\n\n`)],
		["text/event-stream; charset=utf-8", Buffer.from("data: x\n".repeat(700_000))],
		["application/x-ndjson", Buffer.from(`"${"x".repeat(5 * MIB)}"\n`)],
		["text/html", Buffer.alloc(5 * MIB, "x")],
		["application/vnd.amazon.eventstream", Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
	])("whose event of %s is larger than 4 MiB are refused", async (type, body) => {
		const { error } = await drain(await ask((to) => to.writeHead(200, { "content-type": type }).end(body)));
		expect(error).toMatchObject({ reason: "bad_response", message: expect.stringContaining("4 MiB") });
	});

	it("of many events are read", async () => {
		const event = Buffer.from(`data: ${"x".repeat(MIB)}\r\n\r\n`);
		const many = Buffer.concat(Array.from({ length: 6 }, () => event));
		const { bytes, error } = await drain(
			await ask((to) => to.writeHead(200, { "content-type": "text/event-stream" }).end(many)),
		);
		expect([bytes, error]).toEqual([many.length, undefined]);
	});
});

describe("a request that is not wanted any more", () => {
	it("rejects with the reason of the signal, and is not made when that was given before", async () => {
		let asked = 0;
		const count: Answer = () => (asked += 1);
		await expect(ask(count, { signal: AbortSignal.abort("before") })).rejects.toBe("before");
		expect(asked).toBe(0);
		const abort = new AbortController();
		const pending = ask(() => abort.abort(new Error("amid")), { signal: abort.signal });
		await expect(pending).rejects.toThrow("amid");
	});

	it.each(["aborted", "cancelled"])("ends at the provider when its answer is %s", async (how) => {
		const abort = new AbortController();
		const closed = Promise.withResolvers<void>();
		const response = await ask(
			(to) => {
				to.on("close", closed.resolve);
				to.writeHead(200).write("first");
			},
			{ signal: abort.signal },
		);
		const reader = response.body?.getReader();
		await reader?.read();
		const rest = reader?.read().then(
			({ done }) => (done ? "done" : "more"),
			(error: unknown) => String(error),
		);
		if (how === "aborted") abort.abort(new Error("enough"));
		else await reader?.cancel();
		await closed.promise;
		expect(await rest).toBe(how === "aborted" ? "Error: enough" : "done");
	});

	it("takes a request as fetch does", async () => {
		answer = async (to, request) => to.end(`${request.method} ${await text(request as Readable)}`);
		const request = new Request(`http://127.0.0.1:${server.port}/`, { method: "PUT", body: "body" });
		expect(await (await guard.fetch({ timeoutMs: 600_000 })(request)).text()).toBe("PUT body");
	});
});
