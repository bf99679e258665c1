import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { CallFailure, CallOptions, CallResult, CallUse, ModelCaller } from "#models/call-model.ts";
import { ModelError } from "#models/model-error.ts";
import type { ModelRequest } from "#models/model-request.ts";
import { buildAppWithModels, openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { insertConnection } from "./test-connections.ts";

const MEASURED = { costUsd: 0.5, latencyMs: 12, attempts: 1 };
const TRACE = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
const USAGE = { input: 3, output: 2, cache_read: 1 };

interface Seen {
	readonly connectionId: number;
	readonly request: ModelRequest;
	readonly use: CallUse;
	cancelled: boolean;
}

/** Answers as the name of the model says, without a provider. */
class ScriptedModels implements ModelCaller {
	readonly seen: Seen[] = [];
	#told: (() => void)[] = [];

	async call(
		connectionId: number,
		request: ModelRequest,
		use: CallUse,
		{ signal, onDelta }: CallOptions,
	): Promise<CallResult | CallFailure> {
		const seen: Seen = { connectionId, request, use, cancelled: false };
		this.seen.push(seen);
		const answer = { text: "", reasoning: "", tool_calls: [], finish_reason: "stop", model: "m-1", usage: USAGE };
		const ok = (more: object) => ({
			...{ answer: { ...answer, warnings: [], ...more }, ...MEASURED, ...TRACE },
			...{ firstTokenMs: onDelta === undefined ? undefined : 4, warnings: ["no seed"] },
		});
		const failure = (error: ModelError, text: string | undefined) => ({
			...{ error, ...MEASURED, trace: TRACE },
			partial: text === undefined ? undefined : { text, reasoning: "", tool_calls: [] },
		});
		switch (request.model) {
			case "refuses": {
				const message = "The model does not take temperature: leave it out.";
				return failure(new ModelError("unsupported_parameter", message, { parameter: "temperature" }), undefined);
			}
			case "calls": {
				const call = { id: "c1", name: "weather", arguments: '{"city":"Oslo"}' };
				onDelta?.({ type: "tool_call", tool_call: call });
				return ok({ tool_calls: [call], finish_reason: "tool_calls" });
			}
			case "thinks": {
				const signed = { type: "reasoning", text: "{{hm}}", provider: "anthropic", signature: "c2ln" };
				return ok({ reasoning: "{{hm}}", signed_reasoning: [signed] });
			}
			case "never": {
				onDelta?.({ type: "text", text: "half of" });
				for (const tell of this.#told.splice(0)) tell();
				if (!signal.aborted) await once(signal, "abort");
				seen.cancelled = true;
				for (const tell of this.#told.splice(0)) tell();
				return failure(new ModelError("cancelled", "The call was cancelled."), "half of");
			}
			case "json":
				return ok({ text: '{"name": 7, "list": [{"x": "y"}], "more": 1}' });
			default: {
				onDelta?.({ type: "reasoning", text: "hm" });
				onDelta?.({ type: "text", text: "Hello " });
				onDelta?.({ type: "text", text: "there" });
				return ok({ text: "Hello there", reasoning: "hm" });
			}
		}
	}

	/** Until a call of the model `never` is under way, or was cancelled. */
	async until(condition: (seen: readonly Seen[]) => boolean): Promise<void> {
		while (!condition(this.seen)) await new Promise<void>((resolve) => this.#told.push(resolve));
	}
}

let server: TestApp;
let app: App;
let models: ScriptedModels;
let member: TestPrincipal;
let connection: string;

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	models = new ScriptedModels();
	app = await buildAppWithModels(server, models);
	await app.listen({ port: 0, host: "127.0.0.1" });
	connection = await insertConnection(server, "one");
});
afterAll(async () => {
	await app.close();
	await server[Symbol.asyncDispose]();
});
/** Each its own, as the number of runs is limited for each. */
beforeEach(async () => {
	member = await server.signedIn("MEMBER");
	models.seen.splice(0);
});

const says = (content: unknown, model = "greets", more: object = {}) => ({
	...{ connection_id: connection, model, messages: [{ role: "user", content }] },
	...more,
});

async function run(body: object, { headers } = member, more: object = {}) {
	const response = await app.inject({
		...{ method: "POST", url: "/v1/playground/runs" },
		headers: { ...headers, accept: "application/problem+json, */*", ...more },
		payload: body,
	});
	const isJson = String(response.headers["content-type"]).includes("json");
	return {
		status: response.statusCode,
		headers: response.headers,
		text: response.body,
		json: isJson ? response.json() : undefined,
	};
}

/** Events of a whole stream. */
function eventsIn(text: string): { event: string; data: Record<string, unknown> }[] {
	return text
		.split("\n\n")
		.filter((block) => block !== "")
		.map((block) => {
			const [, event = "", data = ""] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? [];
			return { event, data: JSON.parse(data) };
		});
}

/** A stream that is read while it runs. */
async function stream(body: object, signal?: AbortSignal) {
	const { port } = app.server.address() as AddressInfo;
	return await fetch(`http://127.0.0.1:${port}/v1/playground/runs`, {
		...{ method: "POST", body: JSON.stringify({ ...body, stream: true }) },
		headers: { ...member.headers, "content-type": "application/json" },
		...(signal === undefined ? {} : { signal }),
	});
}

test("E24 three variants at once: one fails, two answer", async () => {
	const variants = [says("hi"), says("hi", "refuses"), says("hi", "greets", { label: "again" })];
	const { status, json, text } = await run({ variants });
	expect(status, text).toBe(200);
	expect(json.project).toBe("playground");
	expect(json.calls[2]).toEqual({ variant: 2, repetition: 1, label: "again", model: "greets" });
	expect(json.data[0]).toEqual({
		...{ variant: 0, repetition: 1, usage: USAGE, cost_usd: 0.5, latency_ms: 12, first_token_ms: null },
		output: { text: "Hello there", reasoning: "hm", tool_calls: [], finish_reason: "stop", model: "m-1" },
		...{ warnings: ["no seed"], trace_id: TRACE.traceId, span_id: TRACE.spanId },
	});
	expect(json.data[1]).toEqual({
		...{ variant: 1, repetition: 1, code: "unsupported_parameter", parameter: "temperature", partial: null },
		message: "The model does not take temperature: leave it out.",
		...{ cost_usd: 0.5, latency_ms: 12, trace_id: TRACE.traceId, span_id: TRACE.spanId },
	});
	expect(json.data[2].output.text).toBe("Hello there");
});

test("E24 the same as a stream, with repetitions", async () => {
	const { text, headers } = await run({ variants: [says("hi"), says("hi", "refuses")], repetitions: 2, stream: true });
	expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
	const events = eventsIn(text);
	expect(events[0]).toMatchObject({ event: "start", data: { project: "playground", calls: { length: 4 } } });
	expect(events.at(-1)).toEqual({ event: "done", data: { reason: "finished" } });
	for (const repetition of [1, 2]) {
		const ofFirst = events.filter(({ data }) => data["variant"] === 0 && data["repetition"] === repetition);
		expect(ofFirst.map(({ event }) => event)).toEqual(["delta", "delta", "delta", "end"]);
		expect(ofFirst.map(({ data }) => data["text"] ?? "").join("")).toBe("Hello there");
		expect(ofFirst.at(-1)?.data["first_token_ms"]).toBe(4);
		const ofSecond = events.filter(({ data }) => data["variant"] === 1 && data["repetition"] === repetition);
		expect(ofSecond).toEqual([{ event: "error", data: expect.objectContaining({ code: "unsupported_parameter" }) }]);
	}
	expect(models.seen.map(({ use }) => use)).toEqual(
		Array.from({ length: 4 }, () => ({
			...{ purpose: "playground", isInteractive: true, budgets: [], isAdmin: false },
			project: { id: expect.any(Number), name: "playground" },
		})),
	);
});

test("E27 a call of a tool arrives whole, and its result goes out with the next run", async () => {
	const { text } = await run({ variants: [says("weather?", "calls")], stream: true });
	const events = eventsIn(text);
	const [call] = events.filter(({ event }) => event === "tool_call");
	expect(call?.data).toEqual({
		...{ variant: 0, repetition: 1, tool_call: { id: "c1", name: "weather", arguments: '{"city":"Oslo"}' } },
	});
	const continued = [
		{ role: "user", content: "weather?" },
		{
			role: "assistant",
			content: [
				{
					type: "tool_call",
					tool_call_id: "c1",
					tool_call: { type: "function", name: "weather", arguments: '{"city":"Oslo"}' },
				},
				{ type: "tool_call", tool_call_id: "c2", tool_call: { type: "function", name: "weather", arguments: "{}" } },
			],
		},
		{
			role: "tool",
			content: [
				{ type: "tool_result", tool_call_id: "c1", tool_result: { degrees: 4 } },
				{ type: "tool_result", tool_call_id: "c2", tool_result: "no city" },
			],
		},
	];
	models.seen.splice(0);
	const next = await run({ variants: [{ connection_id: connection, model: "greets", messages: continued }] });
	expect(next.status, next.text).toBe(200);
	expect(models.seen[0]?.request.messages).toEqual(continued);
});

test("E27 reasoning that a provider signed comes with the answer, and goes out again as it was", async () => {
	const { json } = await run({ variants: [says("weather?", "thinks")] });
	const [{ output }] = json.data;
	expect(output.signed_reasoning).toEqual([
		{ type: "reasoning", text: "{{hm}}", provider: "anthropic", signature: "c2ln" },
	]);
	const messages = [
		{ role: "user", content: "weather?" },
		{ role: "assistant", content: [...output.signed_reasoning, { type: "text", text: "Oslo?" }] },
		{ role: "user", content: "yes" },
	];
	models.seen.splice(0);
	const next = await run({ variants: [{ connection_id: connection, model: "greets", messages }] });
	expect(next.status, next.text).toBe(200);
	expect(models.seen[0]?.request.messages).toEqual(messages);
	const unsigned = [{ role: "assistant", content: [{ type: "reasoning", text: "hm", provider: "anthropic" }] }];
	const refused = await run({ variants: [{ connection_id: connection, model: "greets", messages: unsigned }] });
	expect(refused.status).toBe(422);
});

test("E26 values are inserted once, and one that is missing stops the run", async () => {
	const variables = { a: "{{b}}", b: "two", order: { id: 9_007_199_254_740_993n.toString() } };
	await run({ variants: [says("{{a}} {{order}}")], variables });
	expect(models.seen[0]?.request.messages).toEqual([{ role: "user", content: '{{b}} {"id":"9007199254740993"}' }]);
	models.seen.splice(0);
	const { status, json } = await run({ variants: [says("{{a}}"), says("{{order.name}} {{c}}")], variables });
	expect([status, json.code, json.variables]).toEqual([422, "missing_variables", ["order.name", "c"]]);
	expect(json.detail).toContain("order.name, c");
	expect(models.seen).toEqual([]);
});

test("a prompt version is called with what is stored of it", async () => {
	const version = {
		...{ model_provider: "OPENAI", model_name: "stored-model", template_type: "CHAT", template_format: "F_STRING" },
		template: { type: "chat", messages: [{ role: "system", content: "Be {how}" }] },
		invocation_parameters: { type: "openai", openai: { temperature: 0.2 } },
		tools: { type: "tools", tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] },
		response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } },
	};
	const made = await server.call("POST", "/v1/prompts", { prompt: { name: "stored" }, version }, member.headers);
	const prompt_version_id = made.json.data.id;
	const variant = { connection_id: connection, prompt_version_id };
	const { status, text } = await run({ variants: [variant], variables: { how: "kind" } });
	expect(status, text).toBe(200);
	expect(models.seen[0]).toMatchObject({
		request: {
			...{ model: "stored-model", invocation_parameters: version.invocation_parameters, tools: version.tools },
			response_format: version.response_format,
			messages: [{ role: "system", content: [{ type: "text", text: "Be kind" }] }],
		},
		use: { promptVersionId: prompt_version_id },
	});
	const both = await run({ variants: [{ ...variant, messages: [{ role: "user", content: "x" }] }] });
	expect([both.status, both.json.errors[0].loc]).toEqual([422, ["body", "variants", 0, "messages"]]);
});

test("a structured answer is parsed, and checked against its schema", async () => {
	const item = { type: "object", properties: { x: { type: "integer" } } };
	const properties = { name: { type: "string", pattern: "^(a+)+$" }, list: { type: "array", items: item } };
	const schema = { type: "object", properties, required: ["missing"], additionalProperties: false };
	const asked = (schema: object | undefined, model = "json") =>
		says("hi", model, { response_format: { type: "json_schema", json_schema: { name: "n", schema } } });
	const variants = [asked(schema), asked({ type: "object" }), asked(schema, "greets"), asked({ type: "nothing" })];
	const { json } = await run({ variants });
	const [faulty, right, noJson, noSchema] = json.data;
	expect(faulty.output.parsed).toEqual({ name: 7, list: [{ x: "y" }], more: 1 });
	expect(faulty.output.schema_errors.map(({ path }: { path: string[] }) => path.join("."))).toEqual(
		expect.arrayContaining(["", "name", "list.0.x"]),
	);
	expect(right.output.schema_errors).toEqual([]);
	expect(noJson.output).toMatchObject({ schema_errors: [{ path: [], message: expect.stringContaining("no JSON") }] });
	expect(noSchema.output.schema_errors).toBeUndefined();
	expect(noSchema.warnings.at(-1)).toContain("The answer was not checked");
});

test("E25 a closed connection cancels the calls", async () => {
	const abort = new AbortController();
	const response = await stream({ variants: [says("hi", "never")] }, abort.signal);
	await models.until((seen) => seen.length === 1);
	const reader = response.body?.getReader();
	let read = "";
	while (!read.includes("half of")) read += new TextDecoder().decode((await reader?.read())?.value);
	abort.abort();
	await models.until(([one]) => one?.cancelled === true);
});

test("E25 so does one that waits for JSON", async () => {
	const { port } = app.server.address() as AddressInfo;
	const body = JSON.stringify({ variants: [says("hi", "never")] });
	const socket = connect(port, "127.0.0.1");
	const cookie = Object.entries(member.headers).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.write(
		`POST /v1/playground/runs HTTP/1.1\r\nhost: 127.0.0.1\r\n${cookie.join("")}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
	);
	await models.until((seen) => seen.length === 1);
	socket.destroy();
	await models.until(([one]) => one?.cancelled === true);
});

test("E25 a lost right cancels the calls, and says so", async () => {
	const response = await stream({ variants: [says("hi", "never")] });
	await models.until((seen) => seen.length === 1);
	const { db } = server.context;
	await db.write((transaction) =>
		transaction.updateTable("users").set({ role: "VIEWER" }).where("id", "=", member.userId).execute(),
	);
	const events = eventsIn(await response.text());
	expect(events.at(-2)).toEqual({
		event: "error",
		data: expect.objectContaining({ code: "cancelled", partial: expect.objectContaining({ text: "half of" }) }),
	});
	expect(events.at(-1)).toEqual({ event: "done", data: { reason: "access_ended" } });
	const refused = await run({ variants: [says("hi")] });
	expect([refused.status, refused.json.code]).toEqual([403, "viewer_read_only"]);
});

test("E25 the stop of the server cancels the calls, and waits until they have ended", async () => {
	const stopped = await buildAppWithModels(server, models);
	await stopped.listen({ port: 0, host: "127.0.0.1" });
	const { port } = stopped.server.address() as AddressInfo;
	const response = await fetch(`http://127.0.0.1:${port}/v1/playground/runs`, {
		...{ method: "POST", body: JSON.stringify({ variants: [says("hi", "never")], stream: true }) },
		headers: { ...member.headers, "content-type": "application/json" },
	});
	await models.until((seen) => seen.length === 1);
	const closed = stopped.close();
	expect(eventsIn(await response.text()).at(-1)).toEqual({ event: "done", data: { reason: "stopping" } });
	await closed;
	expect(models.seen[0]?.cancelled).toBe(true);
});

test("runs of one user are limited at once and a minute", async () => {
	const abort = new AbortController();
	const streams = Array.from({ length: 8 }, () => stream({ variants: [says("hi", "never")] }, abort.signal));
	await Promise.all(streams);
	await models.until((seen) => seen.length === 8);
	const ninth = await run({ variants: [says("hi")] });
	expect([ninth.status, ninth.json.code, ninth.headers["retry-after"]]).toEqual([
		429,
		"too_many_calling_requests",
		"1",
	]);
	const other = await server.signedIn("MEMBER");
	expect((await run({ variants: [says("hi")] }, other)).status).toBe(200);
	abort.abort();
	await models.until((seen) => seen.filter(({ cancelled }) => cancelled).length === 8);
	const statuses: number[] = [];
	for (let sent = 0; sent < 60; sent += 1) statuses.push((await run({ variants: [] })).status);
	// What does not validate is not counted.
	expect(new Set(statuses)).toEqual(new Set([422]));
	const answers = [];
	for (let sent = 0; sent < 60; sent += 1) answers.push(await run({ variants: [says("hi")] }));
	const refused = answers.filter(({ status }) => status === 429);
	expect(refused.length).toBeGreaterThan(0);
	expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(0);
});

const PNG = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);
const image = (bytes: Buffer, media_type = "image/png") => ({
	type: "image",
	media_type,
	data: bytes.toString("base64"),
});

test("images are what their bytes are, within their limits", async () => {
	const sent = await run({ variants: [says([{ type: "text", text: "see {{x}}" }, image(PNG)])], variables: { x: 1 } });
	expect(sent.status, sent.text).toBe(200);
	expect(models.seen[0]?.request.messages[0]?.content).toEqual([{ type: "text", text: "see 1" }, image(PNG)]);
	models.seen.splice(0);
	const large = Buffer.concat([PNG, Buffer.alloc(4.5 * 1_024 * 1_024)]);
	const wrong: [string, object][] = [
		["its bytes are image/png", says([image(PNG, "image/jpeg")])],
		["no PNG, JPEG, WebP or GIF", says([image(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/png")])],
		["not base64", says([{ ...image(PNG), data: "!!!" }])],
		["at most 6990508 characters", says([image(Buffer.concat([PNG, Buffer.alloc(5 * 1_024 * 1_024)]))])],
		["20 MiB together", says(Array.from({ length: 5 }, () => image(large)))],
		["content", says([{ ...image(PNG), media_type: "image/svg+xml" }])],
		["content", says([{ type: "image", url: "http://169.254.169.254/latest" }])],
	];
	for (const [message, variant] of wrong) {
		const { status, text } = await run({ variants: [variant] });
		expect([status, text.includes(message)], `${message}: ${text.slice(0, 500)}`).toEqual([422, true]);
	}
	expect(models.seen).toEqual([]);
});

test.each([
	["more than 24 calls", { repetitions: 5, variants: 5 }, "24 calls"],
	["more than 6 variants", { repetitions: 1, variants: 7 }, "variants"],
	["more than 10 repetitions", { repetitions: 11, variants: 1 }, "repetitions"],
])("%s are refused", async (_name, { repetitions, variants }, said) => {
	const { status, text } = await run({ repetitions, variants: Array.from({ length: variants }, () => says("hi")) });
	expect([status, text]).toEqual([422, expect.stringContaining(said)]);
});

test("a variant says what it lacks", async () => {
	const other = await insertConnection(server, "with a default", { default_model: "usual" });
	const lacking: [object, string][] = [
		[says("hi", "m", { connection_id: "nonsense" }), "connection_id"],
		[says("hi", "m", { connection_id: encodeGlobalId("ModelConnection", 999_999) }), "connection_id"],
		[{ connection_id: connection, messages: [{ role: "user", content: "hi" }] }, "model"],
		[{ connection_id: connection, model: "m" }, "messages"],
		[
			says("hi", "m", {
				tools: { type: "tools", tools: Array.from({ length: 129 }, (_, at) => ({ type: "raw", raw: { at } })) },
			}),
			"tools",
		],
	];
	for (const [variant, member] of lacking) {
		const { status, json, text } = await run({ variants: [says("hi"), variant] });
		expect([status, json.errors?.[0].loc.slice(0, 4)], text).toEqual([422, ["body", "variants", 1, member]]);
	}
	expect(models.seen).toEqual([]);
	await run({ variants: [{ connection_id: other, messages: [{ role: "user", content: "hi" }] }] });
	expect(models.seen[0]?.request.model).toBe("usual");
});

test("an answer is not kept for a repeated request", async () => {
	const key = { "idempotency-key": "again" };
	const [first, second] = [
		await run({ variants: [says("hi")] }, member, key),
		await run({ variants: [says("hi")] }, member, key),
	];
	expect([first.status, second.status, second.headers["idempotent-replayed"]]).toEqual([200, 200, undefined]);
	expect(models.seen).toHaveLength(2);
});

test("viewers call no model, admins are told apart", async () => {
	const viewer = await server.signedIn("VIEWER");
	expect((await run({ variants: [says("hi")] }, viewer)).status).toBe(403);
	expect(models.seen).toEqual([]);
	await run({ variants: [says("hi")] }, await server.signedIn("ADMIN"));
	expect(models.seen[0]?.use.isAdmin).toBe(true);
});
