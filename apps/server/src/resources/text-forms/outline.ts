import { byteLength, costText, counted, durationText, grouped } from "./budget.ts";
import { type Fold, foldTree, type OutlineSpan } from "./span-tree.ts";
import { safeId, visibleLine } from "./untrusted.ts";

const NAME_CHARACTERS = 80;
const MESSAGE_CHARACTERS = 240;
/** Deeper rows are not drawn further to the right. */
const MOST_INDENT = 24;
/** Part of the space that is for errors, before the tree. */
const ERRORS_SHARE = 0.3;
/** At most, of the words about what is left out below a row. */
const LEFT_OUT_BYTES = 60;
const HEADINGS_BYTES = 100;

/** Spans in error whose error is not that of a span below them, and that say the same. */
export interface ErrorGroup {
	readonly spanId: string;
	readonly name: string;
	readonly kind: string;
	readonly message: string;
	readonly count: number;
}

export interface OutlineRow {
	readonly fold: Fold;
	/** Spans below it, with those in error among them, that have no row. */
	readonly leftOut: { readonly spans: number; readonly errors: number };
}

export interface Outline {
	readonly errors: readonly ErrorGroup[];
	/** Groups of errors that had no place. */
	readonly errorsLeftOut: number;
	/** Parents before what is below them. */
	readonly rows: readonly OutlineRow[];
	/** All spans that are outlined, and those that no row stands for. */
	readonly spans: number;
	readonly leftOut: { readonly spans: number; readonly errors: number };
}

/** The spans of a trace in the shape of outlines of any size and form. */
export interface FoldedTrace {
	readonly roots: readonly Fold[];
	readonly errors: readonly ErrorGroup[];
	/** Parents before what is below them, as they are drawn. */
	readonly folds: readonly Fold[];
	/** The same, what to look at first before the rest; parents before what is below them. */
	readonly byRank: readonly Fold[];
}

/** How many bytes the parts of an outline take. */
export interface OutlineBytes {
	readonly row: (fold: Fold) => number;
	readonly error: (group: ErrorGroup) => number;
	/** A row's words about what is left out below it. */
	readonly leftOut: number;
}

/**
 * @param spans of the trace, by start
 * @param under only what is below this span, itself included
 */
export function foldTrace(spans: readonly OutlineSpan[], under?: string): FoldedTrace {
	const roots = foldTree(spans, under);
	const folds = flatten(roots);
	return { roots, folds, errors: errorGroups(folds, spans, under === undefined), byRank: rank(folds) };
}

/**
 * What a person would look at first of a trace, within so many bytes: its errors, then the spans that lead to them, the
 * critical path, and the rest from the top.
 */
export function outlineOf(
	{ roots, folds, errors: allErrors, byRank }: FoldedTrace,
	maxBytes: number,
	bytes: OutlineBytes = TEXT_BYTES,
): Outline {
	const errors: ErrorGroup[] = [];
	let used = HEADINGS_BYTES;
	for (const group of allErrors) {
		const size = bytes.error(group);
		if (used + size > maxBytes * ERRORS_SHARE) break;
		used += size;
		errors.push(group);
	}
	const chosen = choose(byRank, maxBytes - used, bytes);
	const rows = folds.filter((fold) => chosen.has(fold)).map((fold) => ({ fold, leftOut: leftOutBelow(fold, chosen) }));
	const tops = roots.filter((root) => !chosen.has(root));
	const leftOut = [...rows.map((row) => row.leftOut), ...tops].reduce(
		(sum, part) => ({ spans: sum.spans + part.spans, errors: sum.errors + part.errors }),
		{ spans: 0, errors: 0 },
	);
	return {
		errors,
		errorsLeftOut: allErrors.length - errors.length,
		rows,
		spans: roots.reduce((sum, root) => sum + root.spans, 0),
		leftOut,
	};
}

function flatten(roots: readonly Fold[]): readonly Fold[] {
	const folds: Fold[] = [];
	const open = roots.toReversed();
	for (let fold = open.pop(); fold !== undefined; fold = open.pop()) {
		folds.push(fold);
		for (let at = fold.below.length - 1; at >= 0; at -= 1) {
			const child = fold.below[at];
			if (child !== undefined) open.push(child);
		}
	}
	return folds;
}

function errorGroups(folds: readonly Fold[], spans: readonly OutlineSpan[], isWhole: boolean): readonly ErrorGroup[] {
	// Folds know one of several like spans; each of these has a message of its own.
	const shown = isWhole ? spans : folds.map(({ span }) => span);
	const erring = shown.filter(({ isError }) => isError);
	const causes = new Set(erring.map(({ parentSpanId }) => parentSpanId));
	const groups = new Map<string, ErrorGroup>();
	for (const { spanId, name, kind, statusMessage } of erring) {
		if (causes.has(spanId)) continue;
		const message = visibleLine(statusMessage, MESSAGE_CHARACTERS);
		const key = JSON.stringify([name, kind, message]);
		const known = groups.get(key);
		groups.set(key, { spanId, kind, message, name, ...known, count: (known?.count ?? 0) + 1 });
	}
	return [...groups.values()].sort((a, b) => b.count - a.count);
}

function rank(folds: readonly Fold[]): readonly Fold[] {
	const leads = new Set<Fold>();
	for (const fold of folds) {
		for (let at: Fold | undefined = fold.isCritical ? fold : undefined; at && !leads.has(at); at = at.parent)
			leads.add(at);
	}
	const rankOf = (fold: Fold) => (fold.errors > 0 ? 0 : leads.has(fold) ? 1 : 2);
	const ranked = folds.map((fold) => ({ fold, rank: rankOf(fold) }));
	ranked.sort((a, b) => a.rank - b.rank || a.fold.depth - b.fold.depth);
	return ranked.map(({ fold }) => fold);
}

/** The rows that fit: each only with its parent. */
function choose(byRank: readonly Fold[], maxBytes: number, bytes: OutlineBytes): ReadonlySet<Fold> {
	const chosen = new Set<Fold>();
	const waiting = new Map<Fold, number>();
	let used = 0;
	for (const fold of byRank) {
		const { parent, below } = fold;
		if (parent !== undefined && !chosen.has(parent)) continue;
		const rest = parent === undefined ? 0 : (waiting.get(parent) ?? 0) - 1;
		const size =
			bytes.row(fold) +
			(below.length > 0 ? bytes.leftOut : 0) -
			(parent !== undefined && rest === 0 ? bytes.leftOut : 0);
		if (used + size > maxBytes) continue;
		used += size;
		chosen.add(fold);
		if (below.length > 0) waiting.set(fold, below.length);
		if (parent !== undefined) waiting.set(parent, rest);
	}
	return chosen;
}

/** What is below a row, but not below another one; those of like siblings count as shown. */
function leftOutBelow(fold: Fold, chosen: ReadonlySet<Fold>): { readonly spans: number; readonly errors: number } {
	const missing = fold.below.filter((child) => !chosen.has(child));
	return {
		spans: missing.reduce((sum, child) => sum + child.spans, 0) * fold.times,
		errors: missing.reduce((sum, child) => sum + child.errors, 0) * fold.times,
	};
}

/** The lines of an outline, of which everything was recorded but the numbers. */
export function outlineLines(outline: Outline): string[] {
	const errors = outline.errors.map(errorLine);
	if (outline.errorsLeftOut > 0)
		errors.push(`… ${counted(outline.errorsLeftOut, "more kind of error", "more kinds of errors")}`);
	return [
		...(errors.length > 0 ? ["Errors:", ...errors] : []),
		"Spans (* on the critical path):",
		...outline.rows.map(({ fold, leftOut }) =>
			leftOut.spans === 0 ? rowLine(fold) : `${rowLine(fold)} … ${leftOutWords(leftOut)} below`,
		),
	];
}

export function leftOutWords({ spans, errors }: { readonly spans: number; readonly errors: number }): string {
	return `${counted(spans, "more span")}${errors > 0 ? ` (${grouped(errors)} in error)` : ""}`;
}

const TEXT_BYTES: OutlineBytes = {
	row: (fold) => byteLength(rowLine(fold)) + 1,
	error: (group) => byteLength(errorLine(group)) + 1,
	leftOut: LEFT_OUT_BYTES,
};

function errorLine({ spanId, name, kind, message, count }: ErrorGroup): string {
	const times = count > 1 ? ` ×${count}` : "";
	return `! ${kind} ${visibleLine(name, NAME_CHARACTERS)}${times}: ${message === "" ? "no message" : message} [${idOf(spanId)}]`;
}

function rowLine(fold: Fold): string {
	const { span, depth, count, shortest, longest } = fold;
	const facts = [
		span.isRunning ? "no end yet" : durationsText(shortest, longest),
		span.model === null ? "" : visibleLine(span.model, NAME_CHARACTERS),
		span.tokens === null ? "" : `${grouped(span.tokens)} tok`,
		span.cost === null ? "" : costText(span.cost),
		span.isError ? "ERROR" : "",
	].filter((fact) => fact !== "");
	const times = count > 1 ? ` ×${count}` : "";
	const mark = fold.isCritical ? "*" : "-";
	return `${indent(depth)}${mark} ${span.kind} ${visibleLine(span.name, NAME_CHARACTERS)}${times} · ${facts.join(" · ")} [${idOf(span.spanId)}]`;
}

function durationsText(shortest: number, longest: number): string {
	const [least, most] = [durationText(shortest), durationText(longest)];
	return least === most ? least : `${least} to ${most}`;
}

function indent(depth: number): string {
	return depth <= MOST_INDENT ? "  ".repeat(depth) : `${"  ".repeat(MOST_INDENT)}(${depth}) `;
}

function idOf(spanId: string): string {
	return safeId(spanId) ?? visibleLine(spanId, NAME_CHARACTERS);
}
