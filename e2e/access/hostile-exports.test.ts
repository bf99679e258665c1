import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at, type Json, list } from "../fixture-comparison.ts";
import { measureGrowth } from "../memory-growth.ts";
import { startServer, type TestServer } from "../server.ts";

let server: TestServer;

beforeAll(async () => {
	server = await startServer({ authentication: true });
	// What later requests need is loaded once.
	expect(await send(gzipSync(exportOf([]))).then((response) => response.status)).toBe(200);
});
afterAll(() => server[Symbol.asyncDispose]());

const MEBIBYTE = 1_048_576;
const HIDDEN_KEY = { key: "hidden", value: { stringValue: "x" } };

function send(body: Uint8Array, encoding = "gzip", headers: Readonly<Record<string, string>> = {}): Promise<Response> {
	return server.fetch("/v1/traces", {
		method: "POST",
		headers: { "content-type": "application/json", "content-encoding": encoding, ...headers },
		body: Buffer.from(body),
	});
}

/** A span with these attributes, in a project of its own, as OTLP/JSON. */
function exportOf(attributes: readonly object[], project = "hostile", spanId = "00000000000000a1"): string {
	const span = {
		traceId: "5b8efff798038103d269b633813fc60c",
		spanId,
		name: "hostile",
		startTimeUnixNano: "1700000000000000000",
		endTimeUnixNano: "1700000001000000000",
		attributes,
	};
	const resource = { attributes: [{ key: "openinference.project.name", value: { stringValue: project } }] };
	return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] });
}

describe("T190 a bomb is refused at the decompressed limit", () => {
	const zeros = Buffer.alloc(200 * MEBIBYTE);
	const member = gzipSync(Buffer.alloc(16 * MEBIBYTE));
	/** Its trailer claims that it inflates to 10 bytes: RFC 1952, ISIZE. */
	const lying = Buffer.from(gzipSync(zeros));
	lying.writeUInt32LE(10, lying.byteLength - 4);
	const bombs: readonly (readonly [string, string, Buffer, number])[] = [
		["gzip, 1,000 times its size", "gzip", gzipSync(zeros), 413],
		["deflate", "deflate", deflateSync(zeros), 413],
		["zstd", "zstd", zstdCompressSync(zeros), 413],
		["gzip of many members", "gzip", Buffer.concat(Array<Buffer>(12).fill(member)), 413],
		["gzip that claims a length of 10 bytes", "gzip", lying, 413],
		// Only the outer layer is taken off; what is left is no export.
		["gzip in gzip", "gzip", gzipSync(gzipSync(zeros)), 422],
	];

	test.each(bombs)("%s", async (_, encoding, body, status) => {
		expect(body.byteLength).toBeLessThan(zeros.byteLength / 500);
		const growth = await measureGrowth(server, async () => {
			expect((await send(body, encoding)).status).toBe(status);
		});
		if (growth !== undefined) expect(growth).toBeLessThan(64 * MEBIBYTE);
	});

	test("two codings at once are refused", async () => {
		expect((await send(gzipSync(gzipSync(exportOf([]))), "gzip, gzip")).status).toBe(415);
	});

	test("without a key nothing of it is read", async () => {
		const headers = { authorization: "Bearer sw_s_nobody" };
		const growth = await measureGrowth(server, async () => {
			expect((await send(gzipSync(zeros), "gzip", headers)).status).toBe(401);
		});
		if (growth !== undefined) expect(growth).toBeLessThan(16 * MEBIBYTE);
	});

	test("of the JSON of the API, also at log-in", async () => {
		for (const path of ["/v1/projects", "/auth/login"]) {
			const response = await server.fetch(path, {
				method: "POST",
				headers: { "content-type": "application/json", "content-encoding": "gzip" },
				body: gzipSync(zeros),
			});
			// Log-in takes bodies so small that this one is too large before it is inflated.
			expect([413, 415]).toContain(response.status);
		}
	});
});

const POLLUTING = [
	"__proto__.polluted",
	"constructor.prototype.polluted",
	"a.__proto__.b",
	"toString",
	"__proto__",
	"hasOwnProperty",
	"a",
	"a.b",
	".".repeat(10_000),
	"",
];

describe("T192 attribute keys that name parts of JavaScript's objects", () => {
	const values = POLLUTING.map((key, index) => ({ key, value: { stringValue: `value ${index}` } }));
	const expected = Object.fromEntries(POLLUTING.map((key, index) => [key, `value ${index}`]));

	test("are stored and given back as they are", async () => {
		expect((await send(gzipSync(exportOf([...values, HIDDEN_KEY], "keys")))).status).toBe(200);
		const span = await readSpan("keys", "spans?include=semantic");
		// Object.entries sees `__proto__` only as a key of its own, which JSON.parse makes of it.
		const read = Object.entries(at(span, "attributes") as Record<string, Json>).filter(([key]) => key !== "hidden");
		expect(new Map(read)).toEqual(new Map([...POLLUTING.keys()].map((index) => [POLLUTING[index], `value ${index}`])));
		const otlp = list(at(await readSpan("keys", "spans/otlpv1"), "attributes"));
		expect(otlp.map((attribute) => at(attribute, "key")).toSorted()).toEqual([...POLLUTING, "hidden"].toSorted());
	});

	test("come in through the JSON of the API as well", async () => {
		const attributes = JSON.stringify(expected).replace("{", '{"__proto__":"value 4",');
		const span = `{"name":"hostile","context":{"trace_id":"${"7".repeat(32)}","span_id":"${"7".repeat(16)}"},"span_kind":"CHAIN","start_time":"2026-01-01T00:00:00Z","end_time":"2026-01-01T00:00:01Z","status_code":"OK","attributes":${attributes}}`;
		const response = await server.fetch("/v1/projects/keys-by-json/spans", {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: `{"data":[${span}]}`,
		});
		expect(`${response.status} ${await response.text()}`).toMatch(/^202 /);
		const read = Object.entries(at(await readSpan("keys-by-json", "spans?"), "attributes") as Record<string, Json>);
		expect(new Map(read).get("__proto__")).toBe("value 4");
		expect(new Map(read).get("constructor.prototype.polluted")).toBe("value 1");
	});

	test("nested in maps", async () => {
		const inner = [
			{ key: "__proto__", value: { kvlistValue: { values: [{ key: "polluted", value: { boolValue: true } }] } } },
		];
		const nested = { key: "map", value: { kvlistValue: { values: inner } } };
		expect((await send(gzipSync(exportOf([nested], "nested")))).status).toBe(200);
		const text = await (await server.fetch("/v1/projects/nested/spans")).text();
		expect(text).toContain('"map.__proto__.polluted":true');
	});

	test("change nothing of what the server answers to others", async () => {
		for (const path of ["/v1/projects", "/v1/user", "/v1/projects/keys/traces", "/v1/projects/keys/sessions"]) {
			const response = await server.fetch(path);
			expect(response.status).toBe(200);
			expect(await response.text()).not.toContain("polluted");
		}
	});

	async function readSpan(project: string, path: string): Promise<Json | undefined> {
		return list(at((await server.getJson(`/v1/projects/${project}/${path}`)) as Json, "data"))[0];
	}
});
