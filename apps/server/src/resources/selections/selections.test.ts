import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, expect, test } from "vitest";
import { buildApp } from "#app.ts";
import { openTestApp, T0, text } from "#test-app.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => server.clear());

const DOWNLOAD = "/v1/projects/default/selection/download";

function span(id: number, extra: object = {}) {
	return { traceId: String(id).padStart(32, "0"), spanId: String(id).padStart(16, "0"), name: `span ${id}`, ...extra };
}

test("downloads OTLP/JSON that gives the same spans when it is sent again", async () => {
	await server.send([
		span(1, {
			attributes: { big: { intValue: "9007199254740993" }, ratio: { doubleValue: 0.5 }, "session.id": text("s") },
		}),
		span(2, {
			...{ attributes: { raw: { bytesValue: "AAEC" }, list: { arrayValue: { values: [text("a"), {}] } } } },
			...{
				events: [{ name: "e", timeUnixNano: `${T0}000000001`, attributes: [] }],
				status: { code: 2, message: "no" },
			},
		}),
	]);
	const answer = await server.get(`${DOWNLOAD}?kind=span&format=otlp`);
	expect(answer.headers["content-disposition"]).toContain("default spans.otlp.json");
	const sent = await server.call("POST", "/v1/traces", JSON.parse(answer.text), {
		...{ "content-type": "application/json", "x-project-name": "again" },
	});
	expect([sent.status, sent.text]).toEqual([200, "{}"]);
	const spansOf = async (project: string) => {
		const { json } = await server.get(`/v1/projects/${project}/spans/otlpv1?limit=1000`);
		return json.data.toSorted((a: { span_id: string }, b: { span_id: string }) => (a.span_id < b.span_id ? -1 : 1));
	};
	expect(await spansOf("again")).toEqual(await spansOf("default"));
});

test("downloads all spans of selected traces and sessions as lines or a table", async () => {
	const session = { "session.id": text("s"), "input.value": text('=1+1, "quoted"') };
	await server.send([
		span(1, { attributes: session }),
		span(2, { traceId: String(1).padStart(32, "0"), parentSpanId: String(1).padStart(16, "0") }),
		span(3),
	]);
	const ofSession = await server.get(`${DOWNLOAD}?kind=session&id=s&format=ndjson`);
	const lines = ofSession.text
		.trimEnd()
		.split("\n")
		.map((line): { name: string } => JSON.parse(line));
	expect(lines.map(({ name }) => name)).toEqual(["span 1", "span 2"]);
	const table = await server.get(`${DOWNLOAD}?kind=trace&id=${String(1).padStart(32, "0")}&format=csv`);
	const [header, first, second, ...rest] = table.text.split("\r\n");
	expect(header).toMatch(/^trace_id,span_id,parent_id,name,/);
	expect(first).toContain(`"'=1+1, ""quoted"""`);
	expect([second?.includes("span 2"), rest]).toEqual([true, [""]]);
	const plain = await server.get(`${DOWNLOAD}?kind=span&q=quoted&format=csv&escape_formulas=false`);
	expect(plain.text).toContain(`"=1+1, ""quoted"""`);
	const none = await server.get(`${DOWNLOAD}?kind=span&name=none&format=otlp`);
	expect(JSON.parse(none.text)).toEqual({ resourceSpans: [] });
});

test("breaks a download off when it cannot be completed, so that it never looks whole", async () => {
	await server.send(Array.from({ length: 2_000 }, (_, index) => span(index + 1)));
	const { traces } = server.context;
	let pages = 0;
	const failing = new Proxy(traces, {
		get(target, name) {
			if (name === "listStoredSpans" && ++pages > 5) throw new Error("the disk is gone");
			const member: unknown = Reflect.get(target, name);
			return typeof member === "function" ? member.bind(target) : member;
		},
	});
	const app = await buildApp({ ...server.context, traces: failing });
	try {
		await app.listen({ port: 0, host: "127.0.0.1" });
		const { port } = app.server.address() as AddressInfo;
		for (const encoding of ["identity", "gzip", "br"]) {
			pages = 0;
			const outcome = await new Promise<string>((resolve, reject) => {
				const path = `${DOWNLOAD}?kind=span&format=ndjson`;
				get({ port, path, headers: { "accept-encoding": encoding } }, (response) => {
					response.resume();
					response.on("end", () => resolve(`whole ${response.statusCode}`));
					response.on("error", () => resolve(`broken ${response.statusCode}`));
				}).on("error", reject);
			});
			expect([encoding, outcome]).toEqual([encoding, "broken 200"]);
		}
	} finally {
		await app.close();
	}
});
