import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { buildApp } from "#app.ts";
import { Abandoned } from "#base/fair-turns.ts";
import { AnalyticsMetrics } from "#operations/metrics/analytics-metrics.ts";
import { toText } from "#operations/metrics/exposition.ts";
import type { AnalyticsAnswer, AnalyticsQuery } from "#storage/traces/analytics/analytics-query.ts";
import { randomFrom } from "#storage/traces/conformance/random-spans.ts";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import { WITH_CLICKHOUSE } from "#test-storage.ts";
import { groupAll } from "../error-grouping/test-grouping.ts";
import { AnalyticsQuestions } from "./ask-analytics.ts";

let server: TestApp;
beforeAll(async () => {
	// One for what takes long, one for pages. The longest time there is, for machines that are busy.
	server = await openTestApp({ SERVICE_DATABASE_READERS: "2", SERVICE_ANALYTICS_TIMEOUT_SECONDS: "60" });
	await sendRandomTraces();
});
afterAll(() => server[Symbol.asyncDispose]());

const MODELS = Array.from({ length: 30 }, (_, number) => `model-${number}`);
const HOUR = 3_600;
const RANGE = `start_time=${T0 - 12 * HOUR}&end_time=${T0 + 60 * HOUR}`;
const ANALYTICS = "/v1/projects/chat/analytics";

/** Traces with a root that has the user, and calls of models below it; some failed, some tagged. */
async function sendRandomTraces(): Promise<void> {
	const random = randomFrom(7);
	const below = (limit: number) => Math.floor(random() * limit);
	const spans: object[] = [];
	for (let trace = 1; trace <= 60; trace += 1) {
		const start = T0 + below(48 * HOUR);
		const traceId = trace.toString(16).padStart(32, "0");
		const rootId = `${trace.toString(16).padStart(8, "0")}00000000`;
		const time = (seconds: number, micros: number) => `${seconds}${String(micros).padStart(6, "0")}000`;
		spans.push({
			traceId,
			spanId: rootId,
			name: trace % 7 === 0 ? 'it\'s "odd"\nname' : "chat",
			startTimeUnixNano: time(start, 0),
			endTimeUnixNano: time(start + 5, 0),
			attributes: {
				"openinference.span.kind": text("AGENT"),
				"user.id": text(trace % 9 === 0 ? "=cmd()" : `user-${below(4)}`),
				...(trace % 2 === 0 ? { "session.id": text(`session-${below(5)}`) } : {}),
			},
		});
		for (let call = 0; call < 1 + below(3); call += 1) {
			const mixed = [{ intValue: "3" }, text("3"), { boolValue: true }, undefined][below(4)];
			spans.push({
				traceId,
				spanId: `${rootId.slice(0, 8)}${(call + 1).toString(16).padStart(8, "0")}`,
				parentSpanId: rootId,
				name: "completion",
				startTimeUnixNano: time(start + call, 10),
				endTimeUnixNano: time(start + call + 1, below(900_000)),
				...(below(5) === 0 ? { status: { code: 2, message: "broke" } } : {}),
				attributes: {
					"openinference.span.kind": text("LLM"),
					"llm.model_name": text(MODELS[below(MODELS.length)] ?? ""),
					"llm.token_count.prompt": { intValue: String(below(100)) },
					"llm.token_count.completion": { intValue: String(below(100)) },
					...(mixed === undefined ? {} : { mixed }),
					...(call === 0 ? { "tag.tags": { arrayValue: { values: [text("a"), text("b")] } } } : {}),
				},
			});
		}
	}
	await server.send(spans as never, "chat");
}

async function ask(query: string, path = ANALYTICS) {
	const { status, json, text: body } = await server.get(`${path}?${query}`);
	if (status !== 200) throw new Error(`${query}: ${status} ${body}`);
	return json.data;
}

/** How many items a list has, to the end of its pages. */
async function countList(of: string, query: Record<string, string>): Promise<number> {
	const path = of === "spans" ? "spans" : of;
	let count = 0;
	for (let cursor: string | null = ""; cursor !== null; ) {
		const search = new URLSearchParams({ ...query, limit: "1000", ...(cursor === "" ? {} : { cursor }) });
		const { status, json, text: body } = await server.get(`/v1/projects/chat/${path}?${search}`);
		if (status !== 200) throw new Error(`${search}: ${status} ${body}`);
		count += json.data.length;
		cursor = json.next_cursor;
	}
	return count;
}

test("W01 cells of whole days equal those of the project's metrics, and all is their sum", async () => {
	const range = "start_time=2023-11-14T00:00:00Z&end_time=2023-11-18T00:00:00Z";
	const asked = await ask(
		`${range}&bucket=day&group_by=model&measure=count&measure=error_count&measure=tokens_total&limit=100`,
	);
	expect(asked.source).toBe("totals");
	const { json } = await server.get(`/v1/projects/chat/metrics?${range}&bucket=day&group_by=model`);
	const cells = new Map<string, number[]>();
	for (const { group, values } of asked.series)
		for (const [index, { start_time }] of asked.buckets.entries())
			if (values.count[index] > 0)
				cells.set(`${start_time} ${group[0].value}`, [
					values.count[index],
					values.error_count[index],
					values.tokens_total[index],
				]);
	const expected = json.data.map((point: Record<string, unknown>) => [
		`${point["start_time"]} ${point["group"]}`,
		[point["span_count"], point["error_count"], point["token_count_total"]],
	]);
	expect(Object.fromEntries(cells)).toEqual(Object.fromEntries(expected));
	const sum = asked.series.reduce((all: number, { totals }: { totals: { count: number } }) => all + totals.count, 0);
	expect(asked.all.totals.count).toBe(sum);
});

test("W02 the range is never widened", async () => {
	await server.send(
		[0, 15, 17, 59].map((minute) => ({
			spanId: `${minute + 1}`.padStart(16, "0"),
			startTimeUnixNano: `${T0 - 1_200 + minute * 60 + 6_000}000000000`,
			endTimeUnixNano: `${T0 - 1_200 + minute * 60 + 6_001}000000000`,
		})),
		"exact",
	);
	// The first span starts at 23:33:20.
	const path = "/v1/projects/exact/analytics";
	const from = (time: string) => ask(`start_time=${time}&end_time=2023-11-15T02:00:00Z&bucket=hour`, path);
	expect((await from("2023-11-14T23:00:00Z")).all.totals.count).toBe(4);
	const cut = await from("2023-11-14T23:50:00Z");
	expect(cut.all.totals.count).toBe(2);
	expect(cut.buckets[0].start_time).toBe("2023-11-14T23:50:00+00:00");
	expect(cut.source).toBe("totals");
});

test("W03 W04 days of a zone have their own length, and equal a count of rows", async () => {
	const range = "start_time=2023-11-14T00:00:00Z&end_time=2023-11-18T00:00:00Z";
	for (const zone of ["Asia/Kolkata", "Europe/Berlin", "America/New_York"]) {
		const { buckets, all } = await ask(`${range}&bucket=day&time_zone=${zone}`);
		for (const [index, { start_time, end_time }] of buckets.entries())
			expect(await countList("spans", { start_time, end_time }), `${zone} ${start_time}`).toBe(all.values.count[index]);
	}
	const { buckets } = await ask(`${range}&bucket=day&time_zone=Asia/Kolkata`);
	expect(buckets[1].start_time).toBe("2023-11-14T18:30:00+00:00");
});

describe("W05 the list of a drill-down has as many rows as were counted", () => {
	it.each(["spans", "traces", "sessions"])("of %s", async (of) => {
		const filters = {
			spans: ["latency_ms > 1000 or name == 'chat'", "completion"],
			traces: ["", "num_spans > 2"],
			sessions: ["", "num_traces > 1"],
		}[of as "spans"];
		let checked = 0;
		for (const [place, filter] of filters.entries())
			for (const [number, group] of [
				"model",
				"provider",
				"kind",
				"name",
				"status",
				"user",
				"session",
				"attributes['mixed']",
				"tag",
			].entries()) {
				// Each list of ClickHouse is several statements: with each filter half of the groups.
				if (WITH_CLICKHOUSE && number % filters.length !== place) continue;
				const search = new URLSearchParams({
					of,
					group_by: group,
					filter,
					measure: "count",
					limit: "5",
					bucket: "day",
				});
				search.append("measure", "error_count");
				const { series, buckets } = await ask(`${RANGE}&${search}`);
				for (const { drill_down: drill, totals, values } of series.slice(0, WITH_CLICKHOUSE ? 1 : 2)) {
					if (drill === null) continue;
					checked += 1;
					const { filter: rows, q, error_filter: errors } = drill;
					const words = q === undefined ? {} : { q };
					const times = { start_time: String(T0 - 12 * HOUR), end_time: String(T0 + 60 * HOUR) };
					const message = `${search} ${rows}`;
					expect(await countList(of, { ...times, ...words, filter: rows }), message).toBe(totals.count);
					expect(await countList(of, { ...times, ...words, filter: errors }), message).toBe(totals.error_count);
					const bucket = values.count.findIndex((count: number) => count > 0);
					const { start_time, end_time } = buckets[bucket];
					const inBucket = { start_time, end_time, ...words, filter: rows };
					expect(await countList(of, inBucket), message).toBe(values.count[bucket]);
				}
			}
		expect(checked).toBeGreaterThan(WITH_CLICKHOUSE ? 2 : 10);
	});
});

test("W06 values of different types are different groups, each with a drill-down of its own rows", async () => {
	const { series, groups_total } = await ask(`${RANGE}&group_by=attributes['mixed']&filter=span_kind == 'LLM'`);
	expect(groups_total).toBe(4);
	expect(new Set(series.map(({ group }: { group: { value: unknown }[] }) => group[0]?.value))).toEqual(
		new Set([3, "3", true, null]),
	);
	for (const { drill_down: drill, totals } of series)
		if (drill !== null)
			expect(
				await countList("spans", {
					start_time: String(T0 - 12 * HOUR),
					end_time: String(T0 + 60 * HOUR),
					filter: drill.filter,
				}),
			).toBe(totals.count);
});

test("attributes of resources, prompt versions and groups of errors are groups of what has them", async () => {
	const version = {
		...{ model_provider: "OPENAI", model_name: "gpt-4o", template_type: "CHAT", template_format: "NONE" },
		template: { type: "chat", messages: [{ role: "user", content: "hello" }] },
		invocation_parameters: { type: "openai", openai: {} },
	};
	const made = await server.call("POST", "/v1/prompts", { prompt: { name: "greeting" }, version });
	const versionId: string = made.json.data.id;
	const later = T0 + 100 * HOUR;
	const span = (number: number, attributes: object, rest: object = {}) => ({
		traceId: `${number}`.padStart(32, "c"),
		spanId: `${number}`.padStart(16, "c"),
		name: "answer",
		startTimeUnixNano: `${later + number}000000000`,
		endTimeUnixNano: `${later + number + 1}000000000`,
		attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
		...rest,
	});
	const failed = { status: { code: 2, message: "it broke" } };
	const prompt = { "prompt.version.id": text(versionId) };
	const sent = [span(1, prompt), span(2, prompt, failed), span(3, { "prompt.version.id": text("none of ours") })];
	const resource = { attributes: [{ key: "k8s.pod", value: text("pod-1") }] };
	const stored = await server.call(
		"POST",
		"/v1/traces",
		{ resourceSpans: [{ resource, scopeSpans: [{ scope: {}, spans: sent }] }] },
		{ "x-project-name": "chat" },
	);
	expect(stored.text).toBe("{}");
	const range = { start_time: String(later), end_time: String(later + HOUR) };
	const groupsOf = async (of: string, by: string) => {
		const answer = await ask(`${new URLSearchParams({ ...range, of, group_by: by })}`);
		for (const { drill_down: drill, totals } of answer.series)
			if (drill !== null) expect(await countList(of, { ...range, filter: drill.filter })).toBe(totals.count);
		return answer.series.map(({ group: [{ label }], totals }: Grouped) => [label, totals["count"]]);
	};
	await groupAll(server.context);
	for (const of of ["spans", "traces"]) {
		expect(await groupsOf(of, "resource['k8s.pod']")).toEqual([["pod-1", 3]]);
		expect(await groupsOf(of, "prompt_version")).toEqual([
			["greeting, version 1", 2],
			["none", 1],
		]);
		expect(await groupsOf(of, "error_group")).toEqual([
			["none", 2],
			["answer: it broke", 1],
		]);
	}
});

interface Grouped {
	readonly group: readonly [{ readonly label: string }];
	readonly totals: Readonly<Record<string, number>>;
}

test("W07 calls below a root belong to its user, and nothing counts twice", async () => {
	const byUser = await ask(`${RANGE}&group_by=user&measure=tokens_total&filter=span_kind == 'LLM'&limit=100`);
	const { all } = await ask(`${RANGE}&measure=tokens_total`);
	expect(byUser.series.every(({ group }: { group: { value: unknown }[] }) => group[0]?.value !== null)).toBe(true);
	expect(byUser.all.totals.tokens_total).toBe(all.totals.tokens_total);
	const ofTraces = await ask(`${RANGE}&of=traces&group_by=user&measure=tokens_total&limit=100`);
	const totals = (answer: { series: { group: { value: string }[]; totals: Record<string, number> }[] }) =>
		Object.fromEntries(answer.series.map(({ group, totals: { tokens_total } }) => [group[0]?.value, tokens_total]));
	expect(totals(byUser)).toEqual(totals(ofTraces));
});

test("W08 a span with two tags is in both groups, and once in all", async () => {
	const { series, all, overlapping } = await ask(`${RANGE}&group_by=tag&filter=span_kind == 'LLM'`);
	const counts = Object.fromEntries(
		series.map(({ group, totals }: { group: { label: string }[]; totals: { count: number } }) => [
			group[0]?.label,
			totals.count,
		]),
	);
	expect(overlapping).toBe(true);
	expect(counts["a"]).toBe(60);
	expect(counts["b"]).toBe(60);
	expect(all.totals.count).toBe(60 + counts["none"]);
});

test("W09 others are all groups beyond the limit, their percentiles those of their spans together", async () => {
	const llms = "filter=span_kind == 'LLM'";
	const limited = await ask(`${RANGE}&${llms}&group_by=model&limit=5&measure=count&measure=latency_p95`);
	const { groups, totals } = limited.others;
	expect(groups).toBe(limited.groups_total - 5);
	const shown = limited.series.map(({ group }: { group: { value: string }[] }) => `'${group[0]?.value}'`);
	const rest = await ask(
		`${RANGE}&measure=count&measure=latency_p95&filter=${encodeURIComponent(`span_kind == 'LLM' and model not in [${shown}]`)}`,
	);
	expect(totals.count).toBe(rest.all.totals.count);
	expect(totals.latency_p95).toBe(rest.all.totals.latency_p95);
	expect(limited.approximate).toEqual(["latency_p95"]);
});

test("W10 the time before lies beside each cell", async () => {
	const now = `start_time=2023-11-15T00:00:00Z&end_time=2023-11-16T00:00:00Z&bucket=6_hours&group_by=name`;
	const { series, all } = await ask(`${now}&compare=previous_day`);
	const before = await ask(
		now.replace("start_time=2023-11-15", "start_time=2023-11-14").replace("2023-11-16", "2023-11-15"),
	);
	expect(all.previous).toMatchObject({ totals: before.all.totals, values: before.all.values });
	for (const { group, previous } of series) {
		const same = before.series.find((each: (typeof series)[0]) => each.group[0].value === group[0].value);
		expect(previous.totals.count).toBe(same?.totals.count ?? 0);
	}
});

describe("W13 what is misspelt is refused, with what is probably meant", () => {
	it.each([
		["fliter=name", 422, "extra_forbidden", "`filter` is probably meant"],
		["measure=cuont", 422, "unknown_measure", "count"],
		["group_by=modle", 422, "unknown_group", "model is probably meant"],
		["of=span", 422, "literal_error", "spans"],
		["range=7", 422, "invalid_range", "7d"],
		["range=7d&end_time=2023-11-14", 422, "invalid_range", "absent"],
		["time_zone=Mars/Olympus", 422, "invalid_time_zone", "Europe/Berlin"],
		["sort=cost_total", 422, "unknown_sort", "count"],
		["measure=avg(name)", 422, "unknown_measure", "avg(attributes['…'])"],
		["bucket=minute&range=30d", 422, undefined, "too_many_buckets"],
		["bucket=hour&group_by=name&limit=101", 422, undefined, "too_many_values"],
		["start_time=2023-11-15&end_time=2023-11-14", 422, undefined, "invalid_range"],
		["filter=name ==", 400, undefined, "Invalid filter"],
		["of=annotations&measure=scor_avg", 422, "unknown_measure", "score_avg"],
		["of=annotations&group_by=lable", 422, "unknown_group", "label is probably meant"],
		["group_by=trace_annotations['a'].label", 422, "unknown_group", "annotations['…'].label"],
		["annotation_name=quality", 422, "invalid_parameter", "annotations"],
		["of=annotations&annotator_kind=ROBOT", 422, "literal_error", "HUMAN"],
		["of=ingest", 422, "invalid_parameter", "/v1/analytics"],
		["distribution=latency", 422, "unknown_number", "latency_ms is probably meant"],
		["distribution=latency_ms&measure=count", 422, "invalid_parameter", "absent"],
		["bins=10", 422, "invalid_parameter", "distribution"],
		["distribution=latency_ms&bins=4", 422, undefined, "5"],
	])("%s", async (query, status, type, meant) => {
		const answer = await server.get(`${ANALYTICS}?${query}`, { accept: "application/problem+json" });
		expect(answer.status).toBe(status);
		expect(answer.text).toContain(meant);
		if (type !== undefined) expect(answer.json.errors[0].type).toBe(type);
	});

	test("also for the metrics of a project, which take no filter", async () => {
		const { status, text: body } = await server.get("/v1/projects/chat/metrics?filter=name=='x'");
		expect([status, body]).toEqual([422, expect.stringContaining("analytics")]);
	});
});

test("W18 a table for spreadsheets has no formulas", async () => {
	const { headers, text: csv } = await server.get(`${ANALYTICS}?${RANGE}&group_by=user&of=traces`, {
		accept: "text/csv",
	});
	expect(headers["content-type"]).toContain("text/csv");
	expect(csv).toContain("user,count\r\n");
	expect(csv).toContain("'=cmd(),");
	const { text: buckets } = await server.get(`${ANALYTICS}?${RANGE}&bucket=day`, { accept: "text/csv" });
	expect(buckets.split("\r\n")[0]).toBe("start_time,end_time,count");
});

describe("annotations", () => {
	const day = "start_time=2023-11-24T00:00:00Z&end_time=2023-11-25T00:00:00Z";
	const path = "/v1/projects/judged/analytics";
	const judged = (query: string) => ask(`of=annotations&${day}&${query}`, path);

	beforeAll(async () => {
		const start = (second: number) => `${T0 + 10 * 24 * HOUR + second}000000000`;
		const span = (id: number, trace: number, rest: object) => ({
			traceId: `${trace}`.padStart(32, "a"),
			spanId: `${id}`.padStart(16, "a"),
			startTimeUnixNano: start(id),
			endTimeUnixNano: start(id + 1),
			...rest,
		});
		const attributes = (model: string) => ({
			"openinference.span.kind": text("LLM"),
			"llm.model_name": text(model),
			"session.id": text("judged"),
			"user.id": text("ann"),
		});
		const below = (root: number) => ({ parentSpanId: `${root}`.padStart(16, "a") });
		await server.send(
			[
				span(1, 1, { name: "root", attributes: attributes("large") }),
				span(2, 1, { ...below(1), attributes: attributes("small"), status: { code: 2 } }),
				span(3, 2, { name: "root", attributes: attributes("small") }),
			] as never,
			"judged",
		);
		const annotate = async (kind: string, data: readonly object[]) => {
			const { status, text: body } = await server.call("POST", `/v1/${kind}_annotations?sync=true`, {
				data: data.map((each) => ({ annotator_kind: "LLM", ...each })),
			});
			if (status !== 200) throw new Error(body);
		};
		const spanId = (id: number) => `${id}`.padStart(16, "a");
		await annotate("span", [
			{ span_id: spanId(1), name: "quality", result: { label: "good", score: 1 } },
			{ span_id: spanId(1), name: "quality", identifier: "second look", result: { label: "bad", score: 0 } },
			{ span_id: spanId(2), name: "quality", annotator_kind: "HUMAN", result: { label: "good", score: 0.5 } },
			{ span_id: spanId(3), name: 'it\'s "odd"', result: { label: "good" } },
		]);
		await annotate("trace", [
			{ trace_id: "1".padStart(32, "a"), name: "helpful", result: { score: 4 } },
			{ trace_id: "2".padStart(32, "a"), name: "helpful", result: { label: "no", score: -2 } },
		]);
		await annotate("session", [{ session_id: "judged", name: "solved", result: { label: "yes" } }]);
	});

	const table = ({ series }: { series: { group: { label: string }[]; totals: Record<string, number> }[] }) =>
		Object.fromEntries(series.map(({ group, totals }) => [group.map(({ label }) => label).join(" "), totals]));

	test("W16 their scores by name and labels by model are those of what they are about, whenever they came", async () => {
		expect(table(await judged("group_by=annotation_name&measure=score_avg&measure=count"))).toEqual({
			quality: { score_avg: 0.5, count: 3 },
			helpful: { score_avg: 1, count: 2 },
			solved: { score_avg: null, count: 1 },
			'it\'s "odd"': { score_avg: null, count: 1 },
		});
		const byModel = await judged("group_by=label&group_by=model&annotation_name=quality&bucket=day");
		expect(table(byModel)).toEqual({
			"good large": { count: 1 },
			"bad large": { count: 1 },
			"good small": { count: 1 },
		});
		expect(byModel.all.values.count).toEqual([3]);
		expect((await judged("group_by=target&filter=model == 'small'&measure=unique_targets")).all.totals).toEqual({
			unique_targets: 3,
		});
	});

	test("W05 drill-downs lead to what they are about, as far as one list has it", async () => {
		const times = { start_time: "2023-11-24T00:00:00Z", end_time: "2023-11-25T00:00:00Z" };
		const count = async (of: string, query: Record<string, string>) => {
			const {
				json,
				status,
				text: body,
			} = await server.get(`/v1/projects/judged/${of}?${new URLSearchParams({ ...times, ...query })}`);
			if (status !== 200) throw new Error(`${JSON.stringify(query)}: ${body}`);
			return json.data.length;
		};
		let checked = 0;
		for (const groups of [
			...["annotation_name", "label", "annotator_kind", "identifier", "target", "model", "status", "user"].map(
				(name) => `group_by=${name}`,
			),
			"group_by=annotation_name&group_by=label",
			"group_by=target&group_by=label&annotator_kind=LLM",
			"group_by=label&annotation_name=quality&filter=root",
			"group_by=target&filter=span_kind == 'LLM'",
		]) {
			const { series, all } = await judged(`${groups}&measure=unique_targets`);
			for (const { drill_down: drill, totals } of [...series, all]) {
				if (drill === null) continue;
				checked += 1;
				const words = drill.q === undefined ? {} : { q: drill.q };
				const message = `${groups}: ${drill.filter}`;
				expect(await count(drill.of, { filter: drill.filter, ...words }), message).toBe(totals.unique_targets);
				expect(await count(drill.of, { filter: drill.error_filter, ...words }), message).toBeLessThan(3);
			}
		}
		expect(checked).toBeGreaterThan(15);
		expect((await judged("")).all.drill_down).toBeNull();
	});

	test("their labels are groups of what they are on, in which a row may be twice", async () => {
		const spans = await ask(`${day}&group_by=annotations['quality'].label`, path);
		expect(table(spans)).toEqual({ good: { count: 2 }, bad: { count: 1 }, none: { count: 1 } });
		expect([spans.overlapping, spans.all.totals.count]).toEqual([true, 3]);
		expect(table(await ask(`of=traces&${day}&group_by=trace_annotations['helpful'].label`, path))).toEqual({
			no: { count: 1 },
			none: { count: 1 },
		});
		expect(table(await ask(`of=traces&${day}&group_by=annotations['quality'].label`, path))).toEqual({
			good: { count: 1 },
			bad: { count: 1 },
			none: { count: 1 },
		});
		expect(table(await ask(`of=sessions&${day}&group_by=session_annotations['solved'].label`, path))).toEqual({
			yes: { count: 1 },
		});
		for (const { drill_down: drill, totals } of spans.series) {
			const search = new URLSearchParams({ filter: drill.filter });
			const { json } = await server.get(`/v1/projects/judged/spans?${search}`);
			expect(json.data).toHaveLength(totals.count);
		}
		const field = "annotations['quality'].label";
		const chosen = new URLSearchParams({ field, filter: `${field} == 'good' and span_kind == 'LLM'` });
		const { json } = await server.get(`/v1/projects/judged/facets?${day}&${chosen}`);
		const counts = json.data[0].values.map(({ value, count }: { value: unknown; count: number }) => [value, count]);
		expect(counts).toEqual([
			["good", 2],
			["bad", 1],
			[null, 1],
		]);
	});

	test("W17 bins of scores add up, also those of negative ones", async () => {
		const { distribution, all } = await judged("distribution=score&bins=5");
		expect(distribution).toMatchObject({ of: "score", scale: "linear" });
		expect(distribution.bins.length).toBeLessThanOrEqual(5);
		expect(all.totals).toEqual({ count: 5 });
		expect(distribution.totals.reduce((a: number, b: number) => a + b)).toBe(5);
		expect(distribution.bins[0].start).toBeLessThanOrEqual(-2);
	});
});

test("W17 bins of each bucket of a distribution add up to its count", async () => {
	for (const query of [
		"of=spans&distribution=latency_ms&filter=span_kind == 'LLM'",
		"of=traces&distribution=token_count_total&bins=7",
		"of=spans&distribution=attributes['mixed']&scale=linear",
	]) {
		const { distribution, all, buckets } = await ask(`${RANGE}&bucket=6_hours&${query}`);
		expect(all.totals.count).toBeGreaterThan(0);
		for (const [index, counts] of distribution.values.entries())
			expect(counts.reduce((a: number, b: number) => a + b, 0)).toBe(all.values.count[index]);
		const total = distribution.totals.reduce((a: number, b: number) => a + b);
		expect(total).toBe(all.totals.count);
		for (const [index, { end }] of distribution.bins.slice(0, -1).entries())
			expect(distribution.bins[index + 1].start).toBe(end);
		const { text: csv } = await server.get(`${ANALYTICS}?${RANGE}&bucket=6_hours&${query}`, { accept: "text/csv" });
		expect(csv.trim().split("\r\n")).toHaveLength(1 + buckets.length * distribution.bins.length);
	}
	const [{ start, end }] = (await ask(`${RANGE}&distribution=latency_ms&filter=name == 'chat'`)).distribution.bins;
	expect([start, end]).toEqual([5_000, 5_000]);
});

test("several projects are asked together, and told apart", async () => {
	const across = await ask(`${RANGE}&group_by=project&project=chat&project=exact`, "/v1/analytics");
	const [first] = across.series;
	expect(first.group[0]).toMatchObject({ field: "project", label: "chat" });
	expect(first.drill_down.project).toBe(first.group[0].value);
	expect(across.all.totals.count).toBe((await ask(RANGE)).all.totals.count + 4);
	const everything = await ask(RANGE, "/v1/analytics");
	expect(everything.all.totals.count).toBe(across.all.totals.count);
	expect(everything.all.drill_down).toBeNull();
});

test.each([
	"group_by=user&bucket=hour",
	"group_by=user",
	"group_by=project&bucket=day&time_zone=Asia/Kathmandu",
	"bucket=6_hours",
])("what was spent is what the stored spans say, as long as none is deleted: %s", async (query) => {
	const asked = `measure=tokens_total&measure=cost_total&sort=group&${query}&${RANGE}`;
	const [spent, spans] = [await ask(`of=spend&${asked}`), await ask(`of=spans&${asked}`)];
	type Answer = typeof spent;
	const shown = ({ series, all }: Answer) => ({
		all: { totals: all.totals, values: all.values },
		groups: series
			.filter(({ totals }: Answer) => totals["tokens_total"] > 0)
			.map(({ group, totals, values }: Answer) => ({ group, totals, values })),
	});
	expect(shown(spent)).toEqual(shown(spans));
	expect(spent.all.totals["tokens_total"]).toBeGreaterThan(0);
	expect([spent.source, spent.is_partial, spent.all.drill_down]).toEqual(["totals", false, null]);
});

test("the schema names what can be asked", async () => {
	const { json } = await server.get("/v1/analytics/schema");
	for (const { of, measures, groups } of json.data.rows) {
		const path = of === "ingest" ? "/v1/analytics" : ANALYTICS;
		const names = (of: readonly { name: string }[], parameter: string) =>
			of.map(({ name }) => `&${parameter}=${encodeURIComponent(name.replace("…", "a"))}`);
		const [asMeasures, asGroups] = [names(measures, "measure"), names(groups, "group_by")];
		for (let at = 0; at < asMeasures.length || at < asGroups.length * 4; at += 8)
			await ask(
				[`${RANGE}&of=${of}`, ...asMeasures.slice(at, at + 8), ...asGroups.slice(at / 4, at / 4 + 2)].join(""),
				path,
			);
	}
});

describe("what takes too long", () => {
	interface Series {
		readonly group: readonly object[];
		readonly totals: Readonly<Record<string, number>>;
		readonly values: Readonly<Record<string, readonly number[]>>;
	}
	const SPANS = 6_000;
	const ofContent = `filter=${encodeURIComponent("attributes['tier'] == 'gold'")}`;
	/** A minute more than the spans take, in buckets of a minute. */
	const range = `start_time=${T0}&end_time=${T0 + SPANS / 10 + 60}&bucket=minute`;
	beforeAll(async () => {
		const spans = Array.from({ length: SPANS }, (_, number) => ({
			traceId: (1 + Math.floor(number / 30)).toString(16).padStart(32, "0"),
			spanId: (number + 1).toString(16).padStart(16, "0"),
			startTimeUnixNano: `${T0 + Math.floor(number / 10)}${String(number % 10)}00000000`,
			endTimeUnixNano: `${T0 + Math.floor(number / 10)}${String(number % 10)}00000000`,
			attributes: { tier: text(number % 3 === 0 ? "silver" : "gold"), lane: text(`lane ${number % 4}`) },
		}));
		await server.send(spans, "many");
	});

	test.each(["", "&group_by=attributes['lane']&measure=count&measure=unique_traces"])(
		"W11 the answer is of what was read, and right as far; one that has to be whole is refused (%s)",
		async (more) => {
			const { config } = server.context;
			// No time: one page is read.
			const app = await buildApp({ ...server.context, config: { ...config, SERVICE_ANALYTICS_TIMEOUT_SECONDS: 0 } });
			const url = `/v1/projects/many/analytics?${ofContent}&${range}${more}`;
			const whole = (await server.get(url)).json.data;
			expect([whole.is_partial, whole.covered_start_time]).toEqual([false, null]);
			expect(whole.all.totals.count).toBe((SPANS * 2) / 3);
			const answer = await app.inject(url);
			expect(answer.statusCode).toBe(200);
			const part = answer.json().data;
			expect(part).toMatchObject({ is_partial: true, buckets: whole.buckets });
			const covered = Date.parse(part.covered_start_time);
			expect(covered).toBeGreaterThan(T0 * 1_000);
			const isRead = part.buckets.map(({ start_time }: { start_time: string }) => Date.parse(start_time) >= covered);
			expect(new Set(isRead)).toEqual(new Set([false, true]));
			const known = (values: readonly number[]) => values.map((value, bucket) => (isRead[bucket] ? value : null));
			const wholeOf = new Map(whole.series.map((series: Series) => [JSON.stringify(series.group), series]));
			for (const [found, expected] of [
				[part.all, whole.all],
				...part.series.map((series: Series) => [series, wholeOf.get(JSON.stringify(series.group))]),
			] as [Series, Series][])
				for (const [measure, values] of Object.entries(found.values))
					expect(values).toEqual(known(expected.values[measure] ?? []));
			// Totals are of what was read: all since then, and at most a span that starts right before, of which there may be more.
			const since = async (start: string) => {
				const path = "/v1/projects/many/analytics";
				const times = `start_time=${encodeURIComponent(start)}&end_time=${T0 + SPANS / 10 + 60}`;
				return (await ask(`${ofContent}&${times}${more}`, path)).all.totals;
			};
			const before = new Date(covered - 100).toISOString();
			const [least, most] = [await since(part.covered_start_time), await since(before)];
			for (const [measure, found] of Object.entries<number>(part.all.totals)) {
				expect(found).toBeGreaterThanOrEqual(least[measure]);
				expect(found).toBeLessThanOrEqual(most[measure]);
			}
			const headers = { accept: "application/problem+json" };
			const strict = await app.inject({ url: `${url}&strict=true`, headers });
			expect([strict.statusCode, strict.json().code]).toEqual([503, "analytics_too_slow"]);
			expect((await server.get(`${url}&strict=true`)).status).toBe(200);
			await app.close();
		},
	);

	test("W12 pages of traces do not wait for questions, which end once their readers have hung up", async () => {
		const { metrics } = server.context;
		// Each three of the 30 spans of each of 200 traces.
		const filter =
			"any(any(any(x.latency_ms + y.latency_ms + z.latency_ms < 0 for z in spans) for y in spans) for x in spans)";
		const url = `/v1/projects/many/analytics?of=traces&${range}&filter=${encodeURIComponent(filter)}`;
		const gone = new AbortController();
		const metric = (name: string) =>
			toText(metrics.analytics.families())
				.split("\n")
				.find((line) => line.startsWith(`${name} `))
				?.slice(name.length + 1);
		const waiting = () => metric("spanward_analytics_waiting");
		const answered = () => metric('spanward_analytics_seconds_count{of="traces",source="rows"}');
		const before = answered();
		const asked = [1, 2, 3, 4].map((limit) => server.app.inject({ url: `${url}&limit=${limit}`, signal: gone.signal }));
		await expect.poll(waiting).toBe("3");
		const page = await server.get("/v1/projects/many/traces?limit=100");
		expect([page.status, page.json.data.length]).toEqual([200, 100]);
		expect(waiting()).toBe("3");
		gone.abort();
		for (const each of await Promise.allSettled(asked)) expect(each.status).toBe("rejected");
		await expect.poll(waiting).toBe("0");
		expect((await ask(`of=spans&group_by=name&${range}`, "/v1/projects/many/analytics")).all.totals.count).toBe(SPANS);
		// None was read to its end.
		expect(answered()).toBe(before);
	});
});

describe("questions take turns", () => {
	const query: AnalyticsQuery = {
		of: "spans",
		projectIds: [1],
		edges: [0, 1],
		groupBy: [{ type: "field", name: "name" }],
		measures: [{ type: "named", name: "count" }],
		sort: { by: 0, descending: true },
		limit: 10,
		timeoutMs: 60_000,
	};
	const answer = { coveredMicros: 1, source: "rows" } as AnalyticsAnswer;
	const asker = (name: string) => {
		const connection = new AbortController();
		return { caller: { name, gone: connection.signal }, hangUp: () => connection.abort(new Abandoned()) };
	};

	/** A store that answers when it is told to. */
	function slowStore() {
		const asked: { readonly answer: () => void; readonly gone: AbortSignal | undefined }[] = [];
		const analyze = (question: AnalyticsQuery) =>
			new Promise<AnalyticsAnswer>((resolve) => {
				asked.push({ answer: () => resolve(answer), gone: question.caller?.gone });
			});
		return { asked, traces: { analyze } };
	}

	test("equal ones are asked once, and end when all who ask have gone", async () => {
		const { asked, traces } = slowStore();
		const questions = new AnalyticsQuestions(1);
		const [a, b] = [asker("a"), asker("b")];
		const both = [questions.ask(traces, query, a.caller), questions.ask(traces, query, b.caller)];
		expect(asked).toHaveLength(1);
		a.hangUp();
		expect(asked[0]?.gone?.aborted).toBe(false);
		b.hangUp();
		expect(asked[0]?.gone?.aborted).toBe(true);
		asked[0]?.answer();
		await Promise.all(both);
	});

	test("one that waits longer than it may take is told to come again; totals do not wait", async () => {
		const { asked, traces } = slowStore();
		const metrics = new AnalyticsMetrics();
		const questions = new AnalyticsQuestions(1, { metrics: { analytics: metrics } });
		const first = questions.ask(traces, query, asker("a").caller);
		const waiting = questions.ask(traces, { ...query, limit: 5, timeoutMs: 20 }, asker("b").caller);
		expect(toText(metrics.families())).toContain("spanward_analytics_waiting 1");
		await expect(waiting).rejects.toMatchObject({ status: 503, code: "analytics_busy" });
		const ofTotals = questions.ask(traces, { ...query, groupBy: [] }, asker("c").caller);
		expect(asked).toHaveLength(2);
		for (const each of asked) each.answer();
		await Promise.all([first, ofTotals]);
		const text = toText(metrics.families());
		expect(text).toContain("spanward_analytics_waiting 0");
		expect(text).toContain('spanward_analytics_seconds_count{of="spans",source="rows"} 2');
		expect(text).toContain('spanward_analytics_partial_total{of="spans"} 2');
	});
});
