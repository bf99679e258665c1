import type { FilterTarget } from "@spanward/filter-language";
import { diffArrays } from "diff";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { parseFilter } from "#http/filter-param.ts";
import { sortParam } from "#http/query-params.ts";
import type { NarrowSpan as NarrowSpanSchema, Span as SpanSchema } from "#resources/spans/schemas.ts";
import { byteLength, bytesOfTokens, costText, counted, durationText, grouped } from "#resources/text-forms/budget.ts";
import { type Content, contentLines, fitContents } from "#resources/text-forms/contents.ts";
import { errorContents, inputContents, messageContents, outputContents } from "#resources/text-forms/span-contents.ts";
import { fence, visibleLine } from "#resources/text-forms/untrusted.ts";
import { TraceOutline, type TraceOutlineAnswer } from "#resources/traces/outline-schemas.ts";
import type { Trace as TraceSchema } from "#resources/traces/schemas.ts";
import {
	endTime,
	link,
	MIN_TOKENS,
	maxTokens,
	nextCursor,
	project,
	spanId,
	startTime,
	traceId,
	words,
} from "../arguments.ts";
import { path } from "../rest.ts";
import { type Call, defineTool, NOTE_BYTES, type Tool } from "../tool.ts";
import { listed, PAGING, type RestPage } from "./listed.ts";
import { TraceRow, toTraceRow, traceLines } from "./trace-rows.ts";

type Trace = z.output<typeof TraceSchema>;
type Span = z.output<typeof SpanSchema>;
type NarrowSpan = z.output<typeof NarrowSpanSchema>;
type OutlineAnswer = z.output<typeof TraceOutlineAnswer>;
type Warned = { readonly warnings?: readonly { readonly message: string }[] };

const count = z.int();
const nullableNumber = z.number().nullable();
const filter = z
	.string()
	.max(10_000)
	.optional()
	.describe(
		"Words to find, or a condition such as `latency_ms > 1000 and status_code == 'ERROR'`; explain_filter tells the fields.",
	);
const errorsOnly = z.boolean().default(false).describe("Only those with a span in error.");
const order = z.enum(["desc", "asc"]).default("desc");
const interpreted = z
	.enum(["everything", "words", "condition"])
	.describe("How the filter was read: nothing given, words that all occur, or a condition on fields.");
const warnings = z.array(z.string()).describe("What was probably not meant, such as a misspelt field.");

/** @throws UserError saying where a wrong filter is wrong, and what was probably meant */
function interpretationOf(
	target: FilterTarget,
	asked: { readonly filter?: string | undefined; readonly words?: string | undefined },
): z.output<typeof interpreted> {
	const { condition, text = asked.words } = parseFilter(target, asked.filter);
	if (condition !== undefined) return "condition";
	return text === undefined ? "everything" : "words";
}

function warningsOf({ warnings: list = [] }: Warned): string[] {
	return list.slice(0, 3).map(({ message }) => visibleLine(message, 120));
}

/** At most, of the warnings in an answer. */
const WARNINGS_BYTES = 400;

function headingOf(what: string, read: z.output<typeof interpreted>): string {
	const how = { everything: "", words: "; all words occur", condition: "; the filter is a condition" }[read];
	return `${what}${how}.`;
}

const searchTraces = defineTool({
	name: "search_traces",
	title: "Find traces",
	description:
		"Traces of a project: the newest, the slowest, the most expensive, those with the most errors, or those that fit a filter. Use it to find what to read with get_trace.",
	access: "read",
	input: z.object({
		...{ project, filter, words, errors_only: errorsOnly, start_time: startTime, end_time: endTime },
		session_id: z.string().max(1_000).optional().describe("Only those of this session."),
		sort: sortParam([
			"start_time",
			"latency_ms",
			"total_cost",
			"token_count_total",
			"error_count",
			"span_count",
		]).default("start_time"),
		...{ order, ...PAGING },
	}),
	output: z.object({ traces: z.array(TraceRow), interpreted, warnings, next_cursor: nextCursor }),
	async run(args, call) {
		const { rest, links } = call;
		let warned: string[] = [];
		const read = interpretationOf("trace", args);
		const answer = await listed(call, args, {
			...{ heading: headingOf("Traces", read), noun: ["trace", "traces"], otherBytes: WARNINGS_BYTES },
			read: async (asked) => {
				const page = await rest.get<RestPage<Trace> & Warned>(`${path("v1", "projects", args.project)}/traces`, {
					...{ ...asked, sort: args.sort, order: args.order, filter: args.filter },
					...{ start_time: args.start_time, end_time: args.end_time, session_id: args.session_id, q: args.words },
					error: args.errors_only ? true : undefined,
				});
				warned = warningsOf(page);
				return page;
			},
			toRow: (trace) => toTraceRow(trace, links.trace(trace.project_id, trace.trace_id)),
			toText: traceLines,
		});
		const data = { traces: answer.rows, interpreted: read, warnings: warned, next_cursor: answer.nextCursor };
		return { data, text: withWarnings(answer.text, warned) };
	},
});

function withWarnings(text: string, warned: readonly string[]): string {
	return warned.length === 0 ? text : `${text}\n${warned.map((each) => `Filter: ${each}`).join("\n")}`;
}

const searchSpans = defineTool({
	name: "search_spans",
	title: "Find spans",
	description:
		"Single spans of a project that fit a filter, a kind, a name or a time, such as all calls of one tool that failed. Use search_traces for whole runs.",
	access: "read",
	input: z.object({
		...{ project, filter, words, errors_only: errorsOnly, start_time: startTime, end_time: endTime },
		span_kind: z.string().max(50).optional().describe("LLM, CHAIN, AGENT, TOOL, RETRIEVER, EMBEDDING and so on."),
		name: z.string().max(1_000).optional().describe("Name of the span, exact."),
		sort: sortParam(["start_time", "latency_ms", "total_cost", "token_count_total", "status_code"]).default(
			"start_time",
		),
		...{ order, ...PAGING },
	}),
	output: z.object({
		spans: z.array(
			z.object({
				...{ span_id: z.string(), trace_id: z.string(), parent_id: z.string().nullable() },
				...{ name: z.string(), span_kind: z.string(), status_code: z.string(), status_message: z.string() },
				...{ start_time: z.string(), latency_ms: nullableNumber, model: z.string().nullable() },
				...{ token_count_total: count.nullable(), total_cost: nullableNumber },
			}),
		),
		...{ interpreted, warnings, next_cursor: nextCursor },
	}),
	async run(args, call) {
		const { rest } = call;
		let warned: string[] = [];
		const read = interpretationOf("span", args);
		const answer = await listed(call, args, {
			...{ heading: headingOf("Spans", read), noun: ["span", "spans"], otherBytes: WARNINGS_BYTES },
			read: async (asked) => {
				const page = await rest.get<RestPage<Span> & Warned>(`${path("v1", "projects", args.project)}/spans`, {
					...{ ...asked, sort: args.sort, order: args.order, filter: args.filter },
					...{ start_time: args.start_time, end_time: args.end_time, q: args.words, view: "summary" },
					...{ span_kind: args.span_kind, name: args.name, error: args.errors_only ? true : undefined },
				});
				warned = warningsOf(page);
				return page;
			},
			toRow: (span) => ({
				...{ span_id: span.context.span_id, trace_id: span.context.trace_id, parent_id: span.parent_id },
				...{ name: visibleLine(span.name, 120), span_kind: visibleLine(span.span_kind, 50) },
				...{ status_code: span.status_code, status_message: visibleLine(span.status_message, 200) },
				...{ start_time: span.start_time, latency_ms: span.latency_ms },
				model: span.model === null ? null : visibleLine(span.model, 100),
				...{ token_count_total: span.token_count_total, total_cost: span.total_cost },
			}),
			toText: (row) => {
				const facts = [
					row.start_time,
					row.latency_ms === null ? "no end yet" : durationText(row.latency_ms),
					...(row.model === null ? [] : [row.model]),
					...(row.token_count_total === null ? [] : [`${grouped(row.token_count_total)} tok`]),
					...(row.total_cost === null ? [] : [costText(row.total_cost)]),
					...(row.status_code === "ERROR" ? [`ERROR ${row.status_message}`] : []),
				];
				return `- ${row.span_kind} ${row.name} [${row.span_id} of trace ${row.trace_id}] ${facts.join(" · ")}`;
			},
		});
		const data = { spans: answer.rows, interpreted: read, warnings: warned, next_cursor: answer.nextCursor };
		return { data, text: withWarnings(answer.text, warned) };
	},
});

const ContentPiece = z.object({
	title: z.string().describe("What it is: a message's role, input, output, error, an attribute."),
	text: z.string(),
});
const TraceContent = ContentPiece.extend({ span_id: z.string() });

/** Pages of contents of one trace that are read. */
const MOST_PAGES = 5;
const PAGE_SPANS = 200;
/** Bytes around the contents of an answer. */
const FRAME_BYTES = 800 + NOTE_BYTES;

const getTrace = defineTool({
	name: "get_trace",
	title: "Read a trace",
	description:
		"One trace as a tree: its errors first, repeated siblings folded as ×n, the critical path marked with *, and what is left out counted. `view` messages adds the conversation with the models, each message once; full adds what every span was given and gave. Use `under` with a span's id to see what is below it.",
	access: "read",
	input: z.object({
		project,
		trace_id: traceId,
		view: z.enum(["outline", "messages", "full"]).default("outline"),
		under: spanId.optional().describe("Only what is below the span with this id."),
		max_tokens: maxTokens,
	}),
	output: TraceOutline.extend({
		contents: z.array(TraceContent).optional().describe("With `view` messages or full."),
		contents_left_out: count.optional(),
		contents_not_read: count.optional().describe("Spans of the trace that were not looked into."),
	}),
	async run(args, call) {
		const { rest, links, progress } = call;
		const isOutline = args.view === "outline";
		if (!isOutline && args.max_tokens < 2 * MIN_TOKENS)
			throw new UserError(422, "too_few_tokens", `The view ${args.view} needs max_tokens=${2 * MIN_TOKENS} or more.`);
		const outlineTokens = isOutline ? args.max_tokens : Math.max(MIN_TOKENS, Math.floor(args.max_tokens / 4));
		const address = path("v1", "projects", args.project, "traces", args.trace_id);
		const { data, text } = await rest.get<OutlineAnswer>(`${address}/outline`, {
			...{ max_tokens: outlineTokens, under: args.under },
		});
		const linked = links.trace(data.trace.project_id, data.trace.trace_id);
		const outline = { data: { ...data, link: linked }, text: text.replace(data.link, linked) };
		if (isOutline) return outline;
		progress("reading what the spans hold");
		const read = await readContents(call, address);
		const spans = args.under === undefined ? read : below(args.under, read);
		const notRead = Math.max(0, data.trace.span_count - read.length);
		const items = args.view === "messages" ? conversation(spans) : spans.flatMap(allContents);
		const room = bytesOfTokens(args.max_tokens - outlineTokens) - FRAME_BYTES;
		const { contents, leftOut } = fitContents(items, Math.max(0, room));
		const lines = contentLines({ contents, leftOut });
		const beyond =
			notRead === 0
				? ""
				: `\n${counted(notRead, "later span")} not looked into: ask get_span, or get_trace with under.`;
		return {
			data: { ...outline.data, contents: [...contents], contents_left_out: leftOut, contents_not_read: notRead },
			text: `${outline.text}\n${fence(lines.join("\n"), "")}${beyond}`,
		};
	},
});

/** The first spans of a trace with what they hold, by start. */
async function readContents({ rest, part }: Call, address: string): Promise<readonly NarrowSpan[]> {
	const spans: NarrowSpan[] = [];
	let cursor: string | undefined;
	for (let page = 0; page < MOST_PAGES; page += 1) {
		const asked = { include: "semantic", cumulative: false, limit: PAGE_SPANS, cursor };
		const answer = await part("contents", () =>
			rest.get<{ data: { spans: NarrowSpan[] }; next_cursor: string | null }>(address, asked),
		);
		if (answer === undefined) break;
		spans.push(...answer.data.spans);
		if (answer.next_cursor === null) break;
		cursor = answer.next_cursor;
	}
	return spans;
}

/** A span and those below it. */
function below(id: string, spans: readonly NarrowSpan[]): readonly NarrowSpan[] {
	const found = new Set([id]);
	// By start, so that a parent comes before what is below it.
	return spans.filter(({ span_id, parent_id: parent }) => {
		if (span_id !== id && (parent === null || !found.has(parent))) return false;
		found.add(span_id);
		return true;
	});
}

/** Every message once, in the order in which models saw them. */
function conversation(spans: readonly NarrowSpan[]): (Content & { span_id: string })[] {
	const seen = new Set<string>();
	return spans.flatMap(({ span_id: id, span_kind: kind, name, semantic }) => {
		if (semantic === undefined || kind !== "LLM") return [];
		const { given, gave } = messageContents(semantic);
		const fresh = [...given, ...gave].filter(({ title, text }) => {
			const key = JSON.stringify([title, text]);
			if (seen.has(key)) return false;
			seen.add(key);
			return true;
		});
		return fresh.map((content) => ({ ...content, title: `${content.title} · ${name}`, span_id: id }));
	});
}

function allContents({ span_id: id, span_kind: kind, name, semantic }: NarrowSpan): (Content & { span_id: string })[] {
	if (semantic === undefined) return [];
	const all = [...errorContents(semantic), ...inputContents(semantic), ...outputContents(semantic)];
	return all.map((content) => ({ ...content, title: `${kind} ${name} · ${content.title}`, span_id: id }));
}

const Difference = z.object({
	change: z.enum(["only_a", "only_b", "changed"]),
	depth: count,
	span_kind: z.string(),
	name: z.string(),
	a: z.string().nullable().describe("Of the first trace: span id, how often, time, error."),
	b: z.string().nullable(),
});
type OutlineRow = OutlineAnswer["data"]["rows"][number];

const compareTraces = defineTool({
	name: "compare_traces",
	title: "Compare two traces",
	description:
		"What differs between two traces of a project, aligned by their structure: spans that only one of them has, and those that failed or were repeated more or less often in the other. Use it to see why one run failed and another did not.",
	access: "read",
	input: z.object({ project, a: traceId, b: traceId, max_tokens: maxTokens }),
	output: z.object({
		differences: z.array(Difference),
		left_out: count.describe("Differences that had no place."),
		not_compared: count.describe("Spans of both that are too many to be compared."),
		equal_rows: count.describe("Rows of the trees that are alike."),
		link,
	}),
	async run(args, { rest, links }) {
		const outlineOf = async (trace: string) =>
			(
				await rest.get<OutlineAnswer>(`${path("v1", "projects", args.project, "traces", trace)}/outline`, {
					max_tokens: 50_000,
				})
			).data;
		const [a, b] = await Promise.all([outlineOf(args.a), outlineOf(args.b)]);
		const { differences, equal } = differencesOf(a.rows, b.rows);
		const lines = differences.map(differenceLine);
		let left = bytesOfTokens(args.max_tokens) - FRAME_BYTES;
		const end = differences.findIndex((difference, at) => {
			left -= Math.max(byteLength(JSON.stringify(difference)), byteLength(lines[at] ?? "")) + 1;
			return left < 0;
		});
		const shown = end === -1 ? differences.length : end;
		const address = `${links.trace(a.trace.project_id, a.trace.trace_id)}/compare?with=${encodeURIComponent(b.trace.trace_id)}`;
		const leftOut = differences.length - shown;
		const notCompared = [a, b].reduce((sum, each) => sum + each.left_out.spans + each.not_read, 0);
		const heading = `${counted(differences.length, "difference")}, ${counted(equal, "row")} alike${leftOut > 0 ? `; ${counted(leftOut, "difference")} left out` : ""}${notCompared > 0 ? `; ${counted(notCompared, "span")} not compared, as the traces are too large` : ""}.`;
		return {
			data: {
				differences: differences.slice(0, shown),
				left_out: leftOut,
				not_compared: notCompared,
				equal_rows: equal,
				link: address,
			},
			text: `${heading}\nPage: ${address}\n${fence(lines.slice(0, shown).join("\n"), "")}`,
		};
	},
});

function differencesOf(a: readonly OutlineRow[], b: readonly OutlineRow[]) {
	const key = ({ depth, span_kind: kind, name }: OutlineRow) => JSON.stringify([depth, kind, name]);
	const differences: z.output<typeof Difference>[] = [];
	let [atA, atB, equal] = [0, 0, 0];
	for (const { added, removed, count: rows } of diffArrays(a.map(key), b.map(key)))
		for (let each = 0; each < rows; each += 1) {
			const [left, right] = [added ? undefined : a[atA++], removed ? undefined : b[atB++]];
			const row = left ?? right;
			if (row === undefined) continue;
			if (left !== undefined && right !== undefined && left.count === right.count && left.is_error === right.is_error) {
				equal += 1;
				continue;
			}
			differences.push({
				change: left === undefined ? "only_b" : right === undefined ? "only_a" : "changed",
				...{ depth: row.depth, span_kind: row.span_kind, name: row.name },
				...{ a: left === undefined ? null : rowFacts(left), b: right === undefined ? null : rowFacts(right) },
			});
		}
	return { differences, equal };
}

function rowFacts({ span_id: id, count: times, latency_ms: latency, is_error: isError }: OutlineRow): string {
	return `[${id}] ×${times} ${latency === null ? "no end yet" : durationText(latency)}${isError ? " ERROR" : ""}`;
}

function differenceLine({ change, depth, span_kind: kind, name, a, b }: z.output<typeof Difference>): string {
	const sign = { only_a: "-", only_b: "+", changed: "~" }[change];
	const facts = [...(a === null ? [] : [`a ${a}`]), ...(b === null ? [] : [`b ${b}`])].join(", ");
	return `${"  ".repeat(Math.min(depth, 20))}${sign} ${kind} ${name}: ${facts}`;
}

export const TRACE_TOOLS: readonly Tool[] = [searchTraces, searchSpans, getTrace, compareTraces];
