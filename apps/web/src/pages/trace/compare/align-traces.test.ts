import { expect, test } from "vitest";
import { span } from "../trace-span.fixture.ts";
import type { TraceSpan } from "../trace-span.ts";
import { buildTraceTree, spanInRow } from "../trace-tree.ts";
import { type Alignment, alignTraces } from "./align-traces.ts";

/** A trace of an indented list of names; `LLM:` before a name is the kind of its span. */
function trace(text: string): TraceSpan[] {
	const open: string[] = [];
	return text
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map((line, at) => {
			const depth = (/^\t*/.exec(line)?.[0].length ?? 0) - 2;
			const [, kind = "CHAIN", name = ""] = /^(?:(LLM|TOOL|AGENT):)?(.*)$/.exec(line.trim()) ?? [];
			open.length = depth;
			open.push(`s${at}`);
			return span(`s${at}`, open[depth - 1] ?? null, at, { name, kind: kind as TraceSpan["kind"] });
		});
}

/** Rows as a diff shows them: `=` both, `-` only left, `+` only right, `~` moved. */
function outline(alignment: Alignment): string[] {
	return Array.from({ length: alignment.length }, (_, row) => {
		const left = spanInRow(alignment.left, alignment.leftAt[row] ?? -1);
		const right = spanInRow(alignment.right, alignment.rightAt[row] ?? -1);
		const sign = left && right ? (alignment.isMoved[row] ? "~" : "=") : left ? "-" : "+";
		const names = [...new Set([left?.name, right?.name].filter((name) => name !== undefined))].join("→");
		return `${sign}${" ".repeat(alignment.depth[row] ?? 0)}${names}`;
	});
}

const align = (left: string, right: string) =>
	outline(alignTraces(buildTraceTree(trace(left)), buildTraceTree(trace(right))));

test("pairs spans by their path, and keeps missing and added ones between their siblings", () => {
	const left = `
		agent
			plan
			search
				fetch
			answer`;
	const right = `
		agent
			plan
			check
			answer
			log`;
	expect(align(left, right)).toEqual(["=agent", "= plan", "- search", "-  fetch", "+ check", "= answer", "+ log"]);
});

test("finds which of several siblings of one name is missing by what is below them", () => {
	const left = `
		agent
			step
				LLM:think
				TOOL:search
			step
				LLM:think
				TOOL:calculate
			step
				LLM:think`;
	const right = `
		agent
			step
				LLM:think
				TOOL:search
			step
				LLM:think`;
	expect(align(left, right)).toEqual([
		"=agent",
		"= step",
		"=  think",
		"=  search",
		"- step",
		"-  think",
		"-  calculate",
		"= step",
		"=  think",
	]);
});

test("pairs calls of different models, and roots of different names, but not different tools", () => {
	const left = `
		first version
			LLM:chat small
			TOOL:search`;
	const right = `
		second version
			LLM:chat large
			TOOL:calculate`;
	expect(align(left, right)).toEqual([
		"=first version→second version",
		"= chat small→chat large",
		"- search",
		"+ calculate",
	]);
});

test("pairs spans whose names contain ids that are others in each run", () => {
	const cycle = (id: string) => `\t\tagent\n\t\t\tcycle ${id}-9a6e-48af-af58-c8cb039f8428\n\t\t\t\tTOOL:search`;
	expect(align(cycle("f51a7971"), cycle("589aa3b4"))).toEqual([
		"=agent",
		expect.stringMatching(/^= cycle/),
		"=  search",
	]);
});

test("marks what changed its place among its siblings", () => {
	const left = `
		agent
			a
				below a
			b
			c`;
	const right = `
		agent
			b
			c
			a
				below a`;
	expect(align(left, right)).toEqual(["=agent", "= b", "= c", "~ a", "=  below a"]);
});

test("marks what is below another span now, where only one can be meant", () => {
	const left = `
		agent
			search
				fetch
			LLM:answer`;
	const right = `
		agent
			retrying
				search
					fetch
			LLM:answer
			LLM:answer`;
	expect(align(left, right)).toEqual(["=agent", "+ retrying", "~  search", "=   fetch", "= answer", "+ answer"]);
});

test("copes with spans that changed places with their parents", () => {
	const left = `
		agent
			outer
				inner`;
	const right = `
		agent
			inner
				outer`;
	expect(align(left, right)).toEqual(["=agent", "~ inner", "~  outer"]);
});

test("aligns the children of what is only left below it, and traces without anything in common", () => {
	expect(align("\t\ta\n\t\tb\n\t\t\tc", "\t\tx\n\t\ty")).toEqual(["-a", "-b", "- c", "+x", "+y"]);
	expect(align("", "\t\tx")).toEqual(["+x"]);
});

test("keeps a parent that was not received together with its children", () => {
	const orphans = (id: string) => [span("root", null, 0), span("b", id, 2), span("c", id, 3)];
	const alignment = alignTraces(buildTraceTree(orphans("gone")), buildTraceTree(orphans("lost")));
	expect([...alignment.leftAt]).toEqual([0, 1, 2, 3]);
	expect([...alignment.rightAt]).toEqual([0, 1, 2, 3]);
});

test("says of each row where what is below it ends, and which row is its parent", () => {
	const alignment = alignTraces(
		buildTraceTree(trace("\t\ta\n\t\t\tb\n\t\t\t\tc")),
		buildTraceTree(trace("\t\ta\n\t\t\td")),
	);
	expect(outline(alignment)).toEqual(["=a", "- b", "-  c", "+ d"]);
	expect([...alignment.subtreeEnd]).toEqual([4, 3, 3, 4]);
	expect([...alignment.parentAt]).toEqual([-1, 0, 1, 0]);
});

test("aligns 10,000 spans a side: flat, deep, and without anything in common", () => {
	const many = (parentOf: (at: number) => number, name: (at: number) => string) =>
		buildTraceTree(
			Array.from({ length: 10_000 }, (_, at) =>
				span(`s${at}`, at === 0 ? null : `s${parentOf(at)}`, at, { name: name(at) }),
			),
		);
	const shapes = { flat: () => 0, deep: (at: number) => at - 1, bushy: (at: number) => Math.floor((at - 1) / 5) };
	for (const parentOf of Object.values(shapes)) {
		const left = many(parentOf, (at) => `step ${at % 7}`);
		const changed = many(parentOf, (at) => (at % 100 === 99 ? "other" : `step ${at % 7}`));
		const foreign = many(parentOf, (at) => `foreign ${at}`);
		expect(alignTraces(left, left).length).toBe(10_000);
		expect(alignTraces(left, changed).length).toBeLessThanOrEqual(20_000);
		expect(alignTraces(left, foreign).length).toBe(19_999);
	}
});
