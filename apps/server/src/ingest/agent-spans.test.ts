import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
	decodeLogRecord,
	decodeLogsRequest,
	decodeSpan,
	encodeLogsRequest,
	fromPlain,
	type LogRecord,
	type PlainValue,
	parseLogsRequestJson,
	type ResourceLogs,
	toPlain,
	toPlainMap,
} from "@spanward/otlp";
import { readSemantic } from "@spanward/semconv";
import { describe, expect, test } from "vitest";
import { SpanPrices } from "#pricing/price-of.ts";
import { createExportDecoder, type DecodedExport } from "./decode-export.ts";

const FIXTURES = join(import.meta.dirname, "../../../../fixtures/agents");

const decode = createExportDecoder(
	{
		limits: { attributesPerSpan: 1_000, attributeBytes: 1_000_000, depth: 64 },
		maxInflatedBytes: 10_000_000,
		defaultProjectName: "default",
	},
	new SpanPrices(),
);

function recorded(agent: string): ResourceLogs[] {
	const folder = join(FIXTURES, agent);
	const names = readdirSync(folder).filter((name) => name.endsWith(".bin"));
	return names.sort().flatMap((name) => {
		const sent = readFileSync(join(folder, name));
		const body = sent[0] === 0x1f ? gunzipSync(sent) : sent;
		return body[0] === 0x7b ? parseLogsRequestJson(body.toString()).resourceLogs : decodeLogsRequest(body);
	});
}

function decodeLogs(resourceLogs: readonly ResourceLogs[]): DecodedExport {
	const body = new Uint8Array(encodeLogsRequest(resourceLogs));
	const decoded = decode({ signal: "logs", format: "protobuf", encoding: "identity", body });
	if ("refused" in decoded) throw new Error(decoded.refused.message);
	return decoded;
}

/** Each record as an export of its own. */
function apart(resourceLogs: readonly ResourceLogs[]): ResourceLogs[] {
	return resourceLogs.flatMap((group) =>
		group.scopeLogs.flatMap((scoped) =>
			scoped.logRecords.map((record) => ({ ...group, scopeLogs: [{ ...scoped, logRecords: [record] }] })),
		),
	);
}

/** A line for each span in the order of their starts: under what, kind, name, milliseconds, tokens, cost, texts and error. */
function told({ spans, logs }: Pick<DecodedExport, "spans" | "logs">): string[] {
	const inOrder = spans.toSorted((a, b) => a.start.micros - b.start.micros || a.name.localeCompare(b.name));
	return inOrder.map((span) => {
		const { attributes, status } = decodeSpan(span.bytes);
		const semantic = readSemantic({
			...{ name: span.name, scopeName: "", statusCode: status.code, statusMessage: status.message },
			...{ attributes: toPlainMap(attributes), events: [] },
			logs: logs
				.filter(({ traceId, spanId }) => traceId === span.traceId && spanId === span.spanId)
				.map(({ bytes }) => decodeLogRecord(bytes))
				.map(({ eventName, body, attributes }) => ({
					...{ eventName, body: toPlain(body), attributes: toPlainMap(attributes) },
				})),
		});
		const { kind, tokens, input_text, output_text, output_messages, error } = semantic;
		const parent = spans.find((one) => one.traceId === span.traceId && one.spanId === span.parentSpanId);
		const called = output_messages?.[0]?.tool_calls?.map(({ name }) => `calls ${name}`);
		return [
			...(span.parentSpanId === null ? [] : [parent === undefined ? "orphan" : ">"]),
			`${kind} ${span.name} ${(span.end.micros - span.start.micros) / 1_000} ms`,
			...(tokens === undefined ? [] : [`${tokens.prompt}+${tokens.completion}`]),
			...(span.cost === null ? [] : [`$${span.cost.total?.toFixed(6)}`]),
			...(input_text === undefined ? [] : [JSON.stringify(input_text)]),
			...(output_text === undefined ? [] : ["->", JSON.stringify(output_text)]),
			...(called ?? []),
			...(error?.message === undefined ? [] : [`failed: ${error.message}`]),
		].join(" ");
	});
}

const ANSWER = '-> "There are two files: notes.txt and todo.txt."';
const OUTPUT = (id: string) =>
	`-> "Chunk ID: ${id}\\nWall time: 0.0000 seconds\\nProcess exited with code 0\\nOriginal token count: 5\\nOutput:\\nnotes.txt\\ntodo.txt\\n"`;
const BASH = String.raw`"{\"command\":\"ls\",\"description\":\"List the files\"}"`;
const MAY_BASH = String.raw`"{\"bash_command\":\"ls\",\"full_command\":\"ls\",\"description\":\"List the files\"}"`;
const LS = String.raw`"{\"cmd\": \"ls\"}"`;
const DIRECTORY = String.raw`"{\n  \"dir_path\": \".\"\n}"`;

const EXPECTED: Readonly<Record<string, { readonly traces: number; readonly left: number; readonly spans: string[] }>> =
	{
		"claude-code": {
			// One trace for each prompt, and one of the session for what is outside of them; an internal error is left.
			...{ traces: 3, left: 1 },
			spans: [
				`LLM chat claude-opus-4-8 218 ms 7012+21 $0.015585 ${ANSWER}`,
				`AGENT Claude Code 0 ms "Which files are here?" ${ANSWER}`,
				"> LLM chat claude-opus-4-8 290 ms 7012+34 $0.015910",
				`> DECISION accept Bash 0 ms ${MAY_BASH} -> "accept"`,
				`> TOOL Bash 531 ms ${BASH}`,
				`> LLM chat claude-opus-4-8 237 ms 7012+21 $0.015585 ${ANSWER}`,
				'AGENT Claude Code 0 ms "And which of them is newer?"',
				"> LLM chat claude-opus-4-8 323 ms 7012+34 $0.015910",
				`> DECISION accept Bash 0 ms ${MAY_BASH} -> "accept"`,
				`> TOOL Bash 200 ms ${BASH}`,
				"> LLM chat claude-opus-4-8 177 ms failed: the model is out of tape",
			],
		},
		codex: {
			// Events name no prompts: one trace. Left are the pieces of streams and what is about the program's start.
			...{ traces: 1, left: 18 },
			spans: [
				'AGENT Codex 0 ms "And which of them is newer?"',
				'> CHAIN prompt 0 ms "Which files are here?"',
				"> UNKNOWN request /responses 241 ms",
				"> LLM chat gpt-5.1-codex 0 ms 4200+57 $0.002445",
				`> TOOL exec_command 284 ms ${LS} ${OUTPUT("e9e04a")}`,
				'> DECISION approved exec_command 0 ms -> "approved"',
				"> UNKNOWN request /responses 191 ms",
				"> LLM chat gpt-5.1-codex 0 ms 4200+57 $0.002445",
				'> CHAIN prompt 0 ms "And which of them is newer?"',
				"> UNKNOWN request /responses 220 ms",
				"> LLM chat gpt-5.1-codex 0 ms 4200+57 $0.002445",
				`> TOOL exec_command 271 ms ${LS} ${OUTPUT("fef797")}`,
				'> DECISION approved exec_command 0 ms -> "approved"',
				"> UNKNOWN request /responses 225 ms",
				"> LLM chat gpt-5.1-codex 0 ms 4200+57 $0.002445",
			],
		},
		"gemini-cli": {
			// Without a terminal its prompts have the id of the session. Left are what is about the program and its requests, whose
			// answers have all but the input.
			...{ traces: 1, left: 17 },
			spans: [
				`AGENT Gemini CLI 0 ms "Which files are here?" ${ANSWER}`,
				"> LLM chat gemini-2.5-flash 687 ms 9000+55 $0.001757 calls list_directory",
				`> TOOL list_directory 81 ms ${DIRECTORY}`,
				`> LLM chat gemini-2.5-flash 195 ms 9000+55 $0.001757 ${ANSWER}`,
				`AGENT Gemini CLI 0 ms "And which of them is newer?" ${ANSWER}`,
				"> LLM chat gemini-2.5-flash 772 ms 9000+55 $0.001757 calls list_directory",
				`> TOOL list_directory 76 ms ${DIRECTORY}`,
				`> LLM chat gemini-2.5-flash 184 ms failed: {"type":"error","error":{"type":"invalid_request_error","message":"the model is out of tape","code":400,"status":"INVALID_ARGUMENT"}}`,
			],
		},
	};

describe.each(Object.keys(EXPECTED))("the recorded events of %s", (agent) => {
	const { traces, left, spans } = EXPECTED[agent] ?? { traces: 0, left: 0, spans: [] };
	const whole = decodeLogs(recorded(agent));

	test("are spans of a session", () => {
		expect(told({ ...whole, spans: distinct(whole.spans) })).toEqual(spans);
		expect(new Set(whole.spans.map(({ traceId }) => traceId)).size).toBe(traces);
		expect(new Set(whole.spans.map(({ facts }) => facts.session_id)).size).toBe(1);
		expect(whole.ignoredLogRecords).toBe(left);
		expect(whole.rejections).toEqual([]);
	});

	test("are the same in any order, batches and repeats", () => {
		const each = apart(recorded(agent));
		const others = [...each, ...each].reverse().map((one) => decodeLogs([one]));
		const again = distinct(others.flatMap((one) => one.spans));
		expect(again.map(identity).sort()).toEqual(distinct(whole.spans).map(identity).sort());
		const logs = [...new Map(others.flatMap((one) => one.logs).map((log) => [hexOf(log.bytes), log])).values()];
		expect(logs.map(({ bytes }) => hexOf(bytes)).sort()).toEqual(whole.logs.map(({ bytes }) => hexOf(bytes)).sort());
	});
});

/** As the store has them: of the same one the first. */
function distinct(spans: DecodedExport["spans"]): DecodedExport["spans"] {
	const found = new Map<string, DecodedExport["spans"][number]>();
	for (const span of spans) {
		const key = `${span.traceId} ${span.spanId} ${span.start.micros} ${span.start.nanos}`;
		if (!found.has(key)) found.set(key, span);
	}
	return [...found.values()];
}

function identity({ traceId, spanId, parentSpanId, name, start, end }: DecodedExport["spans"][number]): string {
	return JSON.stringify([traceId, spanId, parentSpanId, name, start, end]);
}

function hexOf(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("hex");
}

describe("hostile and odd events", () => {
	const event = (attributes: Record<string, PlainValue>, fields: Partial<LogRecord> = {}): ResourceLogs[] => [
		{
			resource: { attributes: [], droppedAttributesCount: 0 },
			schemaUrl: "",
			scopeLogs: [
				{
					scope: { name: "any", version: "", attributes: [], droppedAttributesCount: 0 },
					schemaUrl: "",
					logRecords: [
						{
							...{ timeUnixNano: 1_700_000_000_000_000_000n, observedTimeUnixNano: 0n, severityNumber: 0 },
							...{ severityText: "", body: { type: "empty" }, droppedAttributesCount: 0, flags: 0 },
							...{ traceId: "", spanId: "", eventName: "" },
							attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: fromPlain(value) })),
							...fields,
						},
					],
				},
			],
		},
	];
	const request = { "event.name": "claude_code.api_request", "session.id": "s", "prompt.id": "p" };

	test.each([
		["without a session", { "event.name": "claude_code.api_request" }, {}],
		["without a time", request, { timeUnixNano: 0n }],
		["of a name that objects have", { ...request, "event.name": "claude_code.constructor" }, {}],
		["of a name that is not kept", { ...request, "event.name": "codex.startup_phase" }, {}],
	])("%s are left and counted", (_case, attributes, fields) => {
		expect(decodeLogs(event(attributes, fields))).toMatchObject({ spans: [], logs: [], ignoredLogRecords: 1 });
	});

	test.each([
		["a text", "long"],
		["negative", -1],
		["longer than since 1970", 1e18],
		["not a number", Number.NaN],
	])("a duration that is %s is none", (_case, duration_ms) => {
		const { spans } = decodeLogs(event({ ...request, duration_ms }));
		expect(told({ spans, logs: [] })).toEqual(["orphan LLM chat 0 ms"]);
	});

	test.each([
		["deep JSON", "[".repeat(200_000)],
		["deep answers", `${'{"candidates":'.repeat(3_000)}1${"}".repeat(3_000)}`],
		[
			"other JSON",
			'[{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"n":12345678901234567890}}},7,null]}}]}]',
		],
		["a list", ["a", ["b"]]],
	])("an answer that is %s is read", (_case, response_text) => {
		const answered = { "event.name": "gemini_cli.api_response", "session.id": "s", role: "main", response_text };
		expect(decodeLogs(event(answered)).spans.map(({ name }) => name)).toEqual(["chat"]);
	});

	test("calls that end in the same moment are spans of their own, and one that comes again is the same", () => {
		const call = { "event.name": "gemini_cli.tool_call", "session.id": "s", prompt_id: "p", duration_ms: 1 };
		const ids = ["a", "b", "a"].map((function_args) => decodeLogs(event({ ...call, function_args })).spans[0]?.spanId);
		expect(ids[0]).toBe(ids[2]);
		expect(ids[0]).not.toBe(ids[1]);
	});

	test("what scopes have in common is kept once, however many they are", () => {
		const [group] = event(request);
		if (group === undefined) throw new Error("no event");
		const attributes = [{ key: "long", value: fromPlain("x".repeat(100_000)) }];
		const scopeLogs = Array.from({ length: 100 }, (_, n) => ({
			...{ schemaUrl: "", scope: { name: `scope ${n}`, version: "", attributes: [], droppedAttributesCount: 0 } },
			logRecords: event({ ...request, request_id: `${n}` })[0]?.scopeLogs[0]?.logRecords ?? [],
		}));
		const { spans } = decodeLogs([{ ...group, resource: { attributes, droppedAttributesCount: 0 }, scopeLogs }]);
		expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(100);
		expect(spans[0]?.bytes.buffer.byteLength).toBeLessThan(1_000_000);
	});

	test("an event with as many attributes as a span may have keeps what is read from it", () => {
		const many = Object.fromEntries(Array.from({ length: 990 }, (_, n) => [`a${n}`, n]));
		const [span] = decodeLogs(event({ ...request, ...many, model: "m", input_tokens: 3, output_tokens: 4 })).spans;
		expect(span?.facts).toMatchObject({ model: "m", tokens: { prompt: 3, completion: 4 } });
	});

	test("prompts that have no id are spans of their own in the trace of their session", () => {
		const prompt = { "event.name": "claude_code.user_prompt", "session.id": "s" };
		const sent = [{ ...request, "prompt.id": "" }, prompt].map((attributes) => decodeLogs(event(attributes)).spans[0]);
		const later = decodeLogs(event(prompt, { timeUnixNano: 1_700_000_001_000_000_000n })).spans[0];
		const spans = [...sent, later];
		expect(new Set(spans.map((span) => span?.traceId)).size).toBe(1);
		expect(new Set(spans.map((span) => span?.spanId)).size).toBe(3);
		expect(spans.map((span) => span?.parentSpanId)).toEqual([null, null, null]);
	});

	test("a session whose id was made in the future begins with its event", () => {
		const id = "ffffffff-ffff-7ef1-9fbd-a69dae6f3685";
		const [span] = decodeLogs(event({ "event.name": "codex.conversation_starts", "conversation.id": id })).spans;
		expect(span?.start.micros).toBe(1_700_000_000_000_000);
	});

	test("names of the convention that an event has itself are not taken twice", () => {
		const [span] = decodeLogs(event({ ...request, model: "a", "gen_ai.request.model": "b" })).spans;
		const models = decodeSpan(span?.bytes ?? new Uint8Array())
			.attributes.filter(({ key }) => key === "gen_ai.request.model")
			.map(({ value }) => toPlain(value));
		expect(models).toEqual(["a"]);
	});

	test("sessions of other agents and other texts do not meet", () => {
		const ids = [
			{ ...request },
			{ ...request, "event.name": "gemini_cli.api_response", prompt_id: "p" },
			{ ...request, "session.id": "s,p", "prompt.id": "" },
			{ ...request, "session.id": 's","p' },
		].map((attributes) => decodeLogs(event(attributes)).spans[0]?.traceId);
		expect(new Set(ids).size).toBe(4);
		expect(ids).not.toContain(undefined);
	});

	test("R09 they are for projects that their sender may write", () => {
		const body = new Uint8Array(encodeLogsRequest(event(request)));
		const limits = JSON.stringify({ only: ["own"], why: "key_limited" });
		const limited = {
			signal: "logs",
			format: "protobuf",
			encoding: "identity",
			sender: { limits, decidedAtMs: 0, maker: null },
		} as const;
		expect(decode({ ...limited, body, projectName: "own" })).toMatchObject({ spans: [{ projectName: "own" }] });
		expect(decode({ ...limited, body })).toMatchObject({ refused: { status: 403, rejected: 1 } });
	});

	test("the observed time counts where no other was sent", () => {
		const observedTimeUnixNano = 1_700_000_000_123_456_789n;
		const [span] = decodeLogs(event(request, { timeUnixNano: 0n, observedTimeUnixNano })).spans;
		expect(span?.end).toEqual({ micros: 1_700_000_000_123_456, nanos: 789 });
	});
});
