import { type NarrowSpan, NotFoundError, type Spanward, type TraceWithSpans } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { projectsToLookIn } from "../projects/places.ts";
import { counted, formatCost, formatDuration, formatTime } from "../quantities.ts";
import type { Style, Terminal } from "../terminal.ts";
import { cutTo, padEnd, padStart, widthOf } from "../terminal-text.ts";
import { spanTree, type TreeLine, treeLines } from "./span-tree.ts";

const PAGE = 10_000;
/** Columns of the bars, of the duration and of the kind; without room for names, bars and kinds are left out. */
const BAR = 20;
const TOOK = 9;
const KIND = 10;
const LEAST_NAME = 24;
/** Where the output is no terminal. */
const USUAL_WIDTH = 120;
/** Deeper spans are not drawn further to the right. */
const MOST_INDENTS = 24;
const MOST_ERRORS = 5;

type TraceOf = TraceWithSpans["data"];

/** `spanward trace show`: the tree of its spans, with bars of when they ran. */
export async function showTrace(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const spanward = await invocation.connect();
	const trace = await findTrace(invocation, spanward, invocation.argument(0));
	if (terminal.isJson) {
		await terminal.printJson(trace);
		return undefined;
	}
	const heading = headingOf(terminal, trace);
	const errors = errorsOf(terminal, trace.spans);
	const isWhole = invocation.has("all");
	const room = terminal.height === undefined || isWhole ? Number.POSITIVE_INFINITY : terminal.height;
	// The prompt that comes after it, and what is said about folding, need a line each.
	const most = Math.max(5, room - heading.length - errors.length - 2);
	const lines = treeLines(spanTree(trace.spans, { isFolded: !isWhole }), most);
	for (const line of [...heading, ...drawTree(terminal, trace, lines), ...errors]) await terminal.print(line);
	if (lines.some(({ node, hidden }) => node.count > 1 || hidden > 0)) {
		const times = terminal.isUnicode ? "×" : "x";
		terminal.note(`${times}n: alike siblings, the longest is shown; +n: spans below. --all shows each.`);
	}
	return undefined;
}

async function findTrace(invocation: Invocation, spanward: Spanward, traceId: string): Promise<TraceOf> {
	for await (const project of projectsToLookIn(invocation, spanward)) {
		try {
			return await readTrace(spanward, project, traceId);
		} catch (error) {
			if (!(error instanceof NotFoundError)) throw error;
		}
	}
	throw new NotFoundError(404, "trace_not_found", `there is no trace ${traceId}`);
}

/** With all its spans. */
async function readTrace(spanward: Spanward, project: string, traceId: string): Promise<TraceOf> {
	const path = { project_identifier: project, trace_id: traceId };
	const read = async (cursor?: string) =>
		await spanward.api.get("/v1/projects/{project_identifier}/traces/{trace_id}", {
			path,
			query: { limit: PAGE, cumulative: false, ...(cursor !== undefined && { cursor }) },
		});
	let page = await read();
	const { data: trace } = page;
	const spans = [...trace.spans];
	while (page.next_cursor !== null) {
		page = await read(page.next_cursor);
		spans.push(...page.data.spans);
	}
	return { ...trace, spans };
}

function headingOf(terminal: Terminal, trace: TraceOf): string[] {
	const facts = [
		formatTime(trace.start_time),
		trace.latency_ms === null ? trace.state : formatDuration(trace.latency_ms),
		counted(trace.span_count, "span"),
		trace.error_count > 0 ? terminal.style(counted(trace.error_count, "error"), "red") : undefined,
		trace.token_count_total > 0 ? counted(trace.token_count_total, "token") : undefined,
		formatCost(trace.total_cost),
	];
	const name = terminal.oneLine(trace.root_name ?? "(no root)");
	const width = Math.min(terminal.width, USUAL_WIDTH);
	return [
		terminal.style(cutTo(`${name}  ${terminal.oneLine(trace.trace_id)}`, width, terminal.cutMark), "bold"),
		...(width < 60 ? wrapFacts(facts, width) : [facts.filter(Boolean).join("  ")]),
	];
}

function wrapFacts(facts: readonly (string | undefined)[], width: number): string[] {
	const lines = [""];
	for (const fact of facts.filter((one) => one !== undefined && one !== "")) {
		const line = lines.at(-1) ?? "";
		if (line !== "" && widthOf(line) + widthOf(fact ?? "") + 2 > width) lines.push(fact ?? "");
		else lines.splice(-1, 1, line === "" ? (fact ?? "") : `${line}  ${fact}`);
	}
	return lines;
}

function drawTree(terminal: Terminal, trace: TraceOf, lines: readonly TreeLine[]): string[] {
	const [from, to] = [Date.parse(trace.start_time), Date.parse(trace.end_time)];
	const width = Math.min(terminal.width, USUAL_WIDTH);
	const columns = [
		...(width - BAR - TOOK - KIND - 3 >= LEAST_NAME ? [KIND] : []),
		TOOK,
		...(width - BAR - TOOK - 2 >= LEAST_NAME ? [BAR] : []),
	];
	const nameWidth = width - columns.reduce((sum, column) => sum + column + 1, 0);
	return lines.map((line) => {
		const { span, startMs, endMs } = line.node;
		const isError = span.status_code === "ERROR";
		const styles: Style[] = isError ? ["red"] : [];
		const took = span.state === "ended" ? formatDuration(span.latency_ms) : span.state;
		const cells = [
			nameCell(terminal, line, nameWidth, styles),
			...(columns.includes(KIND)
				? [terminal.style(padEnd(cutTo(terminal.oneLine(span.span_kind), KIND, terminal.cutMark), KIND), "dim")]
				: []),
			padStart(cutTo(took, TOOK, terminal.cutMark), TOOK),
			...(columns.includes(BAR)
				? [terminal.style(bar(terminal, { startMs, endMs, from, to }), isError ? "red" : "cyan")]
				: []),
		];
		return cells.join(" ").trimEnd();
	});
}

function nameCell(terminal: Terminal, { node, continues, hidden }: TreeLine, width: number, styles: Style[]): string {
	const { span, count } = node;
	const [branch, lastBranch, through] = terminal.isUnicode ? ["├ ", "└ ", "│ "] : ["|-", "`-", "| "];
	const indents = continues.slice(0, -1).slice(1).slice(-MOST_INDENTS);
	const own = continues.length < 2 ? "" : continues.at(-1) ? branch : lastBranch;
	const lead = indents.map((goesOn) => (goesOn ? through : "  ")).join("") + own;
	const times = count > 1 ? ` ${terminal.isUnicode ? "×" : "x"}${count}` : "";
	const marks = `${times}${hidden > 0 ? ` +${hidden}` : ""}`;
	const sign = span.status_code === "ERROR" ? "! " : "";
	// A long way down, the name has room for its beginning.
	const shownLead = cutTo(lead, Math.max(2, width - marks.length - 12), "");
	const room = Math.max(1, width - widthOf(shownLead) - marks.length - sign.length);
	const name = cutTo(terminal.oneLine(span.name) || "(no name)", room, terminal.cutMark);
	const text = `${shownLead}${sign}${name}${marks}`;
	const shown =
		terminal.style(shownLead, "dim") + terminal.style(sign + name, ...styles) + terminal.style(marks, "yellow");
	return shown + " ".repeat(Math.max(0, width - widthOf(text)));
}

interface Times {
	readonly startMs: number;
	readonly endMs: number;
	readonly from: number;
	readonly to: number;
}

/** When the span ran, within the time of the trace; at least one column. */
function bar(terminal: Terminal, { startMs, endMs, from, to }: Times): string {
	const column = (ms: number) => (to > from ? ((ms - from) / (to - from)) * BAR : 0);
	const first = Math.max(0, Math.min(BAR - 1, Math.floor(column(startMs))));
	const last = Math.max(first + 1, Math.min(BAR, Math.round(column(endMs))));
	return " ".repeat(first) + (terminal.isUnicode ? "━" : "=").repeat(last - first);
}

/** What went wrong: errors that are not only those of spans below, each message once. */
function errorsOf(terminal: Terminal, spans: readonly NarrowSpan[]): string[] {
	const failed = spans.filter(({ status_code: status }) => status === "ERROR");
	const parents = new Set(failed.map(({ parent_id: parent }) => parent));
	const causes = failed.filter(({ span_id: id }) => !parents.has(id));
	const groups = [
		...Map.groupBy(causes, ({ name, status_message: message }) => JSON.stringify([name, message])).values(),
	];
	const width = Math.min(terminal.width, USUAL_WIDTH);
	const lines = groups.slice(0, MOST_ERRORS).map(([first, ...others]) => {
		const times = others.length > 0 ? ` (${others.length + 1} times)` : "";
		const said = first?.status_message ? `: ${first.status_message.slice(0, 500)}` : "";
		const text = terminal.oneLine(`! ${first?.span_id} ${first?.name}${times}${said}`);
		return terminal.style(cutTo(text, width, terminal.cutMark), "red");
	});
	const more = groups.length - MOST_ERRORS;
	return more > 0 ? [...lines, terminal.style(`! and ${more} more`, "red")] : lines;
}
