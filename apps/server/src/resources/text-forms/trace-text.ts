import { byteLength, bytesOfTokens, costText, counted, durationText, grouped } from "./budget.ts";
import { type FoldedTrace, leftOutWords, type Outline, outlineLines, outlineOf } from "./outline.ts";
import { fence, safeId, visibleLine } from "./untrusted.ts";

/** What is said of a trace as a whole. */
export interface TraceFacts {
	readonly traceId: string;
	readonly project: string;
	readonly rootName: string | null;
	readonly startTime: string;
	/** Null while a span has no end. */
	readonly latencyMs: number | null;
	readonly spanCount: number;
	readonly errorCount: number;
	readonly tokens: number;
	readonly cost: number | null;
	readonly sessionId: string | null;
	readonly userId: string | null;
	readonly firstInput: string | null;
	readonly lastOutput: string | null;
	/** Address of its page. */
	readonly link: string;
}

const EXCERPT_CHARACTERS = 300;
/** At most, of the sentences after the outline. */
const FOOTER_BYTES = 330;

interface TraceTextOptions {
	readonly maxTokens: number;
	/** Spans of the trace that are not among those folded. */
	readonly notRead?: number;
}

/** The text form of a trace: what it is, its errors, its spans as a tree, and what was left out. */
export function traceText(
	facts: TraceFacts,
	folded: FoldedTrace,
	{ maxTokens, notRead = 0 }: TraceTextOptions,
): string {
	const maxBytes = bytesOfTokens(maxTokens);
	const header = `${traceHeader(facts)}\n`;
	const about = aboutLines(facts);
	const fixed = byteLength(header) + byteLength(fence(about.join("\n"), originOf(facts))) + FOOTER_BYTES;
	const outline = outlineOf(folded, maxBytes - fixed);
	const body = [...about, ...outlineLines(outline)].join("\n");
	return `${header}${fence(body, originOf(facts))}\n${footer(outline, notRead)}`;
}

/** In words of ours, with numbers only. */
export function traceHeader({
	traceId,
	link,
	latencyMs,
	spanCount,
	errorCount,
	tokens,
	cost,
	startTime,
}: TraceFacts): string {
	const facts = [
		`started ${startTime}`,
		latencyMs === null ? "still without an end" : durationText(latencyMs),
		counted(spanCount, "span"),
		counted(errorCount, "error"),
		...(tokens > 0 ? [counted(tokens, "token")] : []),
		...(cost === null ? [] : [costText(cost)]),
	];
	return `Trace ${safeId(traceId) ?? "with an id of the sender's own"}: ${facts.join(", ")}.\nPage: ${link}`;
}

export function originOf({ traceId }: Pick<TraceFacts, "traceId">): string {
	const id = safeId(traceId);
	return id === undefined ? "" : ` of trace ${id}`;
}

export function aboutLines(facts: TraceFacts): string[] {
	const line = (name: string, value: string | null) =>
		value === null || value === "" ? [] : [`${name}: ${visibleLine(value, EXCERPT_CHARACTERS)}`];
	return [
		...line("project", facts.project),
		...line("name", facts.rootName),
		...line("session", facts.sessionId),
		...line("user", facts.userId),
		...line("input", facts.firstInput),
		...line("output", facts.lastOutput),
	];
}

function footer(outline: Outline, notRead: number): string {
	const beyond = notRead > 0 ? ` The trace has ${counted(notRead, "later span")} that were not read.` : "";
	return `${shownWords(outline)}${beyond}`;
}

function shownWords({ rows, spans, leftOut }: Outline): string {
	if (leftOut.spans === 0) return `All ${counted(spans, "span")} are shown; [ids] are for get_span.`;
	return `${counted(rows.length, "row")} stand for ${grouped(spans - leftOut.spans)} of ${counted(spans, "span")}; left out: ${leftOutWords(leftOut)}. Ask get_trace with under=<span id> for what is below a span, get_span for one.`;
}
