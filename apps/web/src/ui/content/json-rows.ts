import { childCount, isContainer, type Json } from "./json-value.ts";

export type JsonPath = readonly (string | number)[];

/** One line of the tree. `more` stands for the children of a large container that are not listed yet. */
export type JsonRow =
	| {
			readonly type: "value";
			readonly path: JsonPath;
			readonly id: string;
			readonly value: Json;
			readonly expanded: boolean;
	  }
	| {
			readonly type: "more";
			readonly path: JsonPath;
			readonly id: string;
			readonly hidden: number;
			readonly where: "before" | "after";
	  };

/** Which children of a container are listed; `to` is the first that is not. */
export interface ListedRange {
	readonly from: number;
	readonly to: number;
}

/** What of the tree is open: containers by id, and which children of a large one are listed. */
export interface JsonView {
	readonly expanded: ReadonlySet<string>;
	readonly listed: ReadonlyMap<string, ListedRange>;
}

/** Children that a container lists at first, and per "show more". */
export const CHILDREN_LISTED = 100;

/** RFC 6901 pointer of a path; the root is the empty string. */
export function pointer(path: JsonPath): string {
	return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** A path as one would write it in code: `$.messages[0]["odd key"]`. */
export function formatPath(path: JsonPath): string {
	const steps = path.map((step) => {
		if (typeof step === "number") return `[${step}]`;
		return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
	});
	return `$${steps.join("")}`;
}

function* children(value: Json, from = 0, to = Number.POSITIVE_INFINITY): Generator<readonly [string | number, Json]> {
	if (Array.isArray(value)) {
		for (let i = from; i < value.length && i < to; i++) yield [i, value[i] as Json];
	} else if (isContainer(value)) {
		const object = value as { readonly [key: string]: Json };
		const keys = Object.keys(object);
		for (let i = from; i < keys.length && i < to; i++) {
			const key = keys[i] as string;
			yield [key, object[key] as Json];
		}
	}
}

function listedRange(view: JsonView, id: string): ListedRange {
	return view.listed.get(id) ?? { from: 0, to: CHILDREN_LISTED };
}

/** The lines to draw, in order; only what is open is walked. */
export function jsonRows(root: Json, view: JsonView): JsonRow[] {
	const rows: JsonRow[] = [];
	type Waiting =
		| { readonly path: JsonPath; readonly value: Json }
		| { readonly path: JsonPath; readonly hidden: number; readonly where: "before" | "after" };
	const waiting: Waiting[] = [{ path: [], value: root }];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { path } = next;
		const id = pointer(path);
		if ("hidden" in next) {
			rows.push({ type: "more", path, id: `${id}#${next.where}`, hidden: next.hidden, where: next.where });
			continue;
		}
		const expanded = isContainer(next.value) && view.expanded.has(id);
		rows.push({ type: "value", path, id, value: next.value, expanded });
		if (!expanded) continue;
		const count = childCount(next.value);
		const { from, to } = listedRange(view, id);
		if (to < count) waiting.push({ path, hidden: count - to, where: "after" });
		const shown = [...children(next.value, from, to)];
		for (const [step, value] of shown.reverse()) waiting.push({ path: [...path, step], value });
		if (from > 0) waiting.push({ path, hidden: from, where: "before" });
	}
	return rows;
}

/** The view in which a large container lists a step more of its children, before or after those it does. */
export function listMore(view: JsonView, path: JsonPath, where: "before" | "after"): JsonView {
	const id = pointer(path);
	const { from, to } = listedRange(view, id);
	const range =
		where === "after" ? { from, to: to + CHILDREN_LISTED } : { from: Math.max(0, from - CHILDREN_LISTED), to };
	return { ...view, listed: new Map(view.listed).set(id, range) };
}

/** Containers to open at first: level by level, as long as the lines stay within the budget. */
export function openedAtFirst(root: Json, budget: number): Set<string> {
	const expanded = new Set<string>();
	let lines = 1;
	let level: { readonly path: JsonPath; readonly value: Json }[] = [{ path: [], value: root }];
	while (level.length > 0) {
		const below: typeof level = [];
		for (const { path, value } of level) {
			const count = Math.min(childCount(value), CHILDREN_LISTED);
			if (count === 0) continue;
			if (lines + count > budget && path.length > 0) continue;
			lines += count;
			expanded.add(pointer(path));
			for (const [step, child] of children(value, 0, count)) below.push({ path: [...path, step], value: child });
		}
		level = below;
	}
	return expanded;
}

/** Paths, in the order of the document, whose key or scalar value holds the text (any case); at most `limit`. */
export function findInJson(root: Json, query: string, limit = 1000): JsonPath[] {
	const wanted = query.trim().toLowerCase();
	const found: JsonPath[] = [];
	if (wanted === "") return found;
	const open = [{ path: [] as JsonPath, children: children(root) }];
	for (let top = open.at(-1); top && found.length < limit; top = open.at(-1)) {
		const next = top.children.next();
		if (next.done) {
			open.pop();
			continue;
		}
		const [step, value] = next.value;
		const path = [...top.path, step];
		const inKey = typeof step === "string" && step.toLowerCase().includes(wanted);
		if (inKey || (!isContainer(value) && String(value).toLowerCase().includes(wanted))) found.push(path);
		if (isContainer(value)) open.push({ path, children: children(value) });
	}
	return found;
}

/** The view in which the line of a path shows: its ancestors open, and the children around it listed. */
export function revealPath(view: JsonView, root: Json, path: JsonPath): JsonView {
	const expanded = new Set(view.expanded);
	const listed = new Map(view.listed);
	let value = root;
	for (let depth = 0; depth < path.length; depth++) {
		const id = pointer(path.slice(0, depth));
		const step = path[depth] as string | number;
		expanded.add(id);
		const keys = isContainer(value) && !Array.isArray(value) ? Object.keys(value) : undefined;
		const index = typeof step === "number" ? step : (keys?.indexOf(step) ?? 0);
		const range = listedRange(view, id);
		if (index < range.from || index >= range.to) {
			const from = Math.floor(index / CHILDREN_LISTED) * CHILDREN_LISTED;
			listed.set(id, { from, to: from + CHILDREN_LISTED });
		}
		value = (value as { readonly [key: string | number]: Json })[step] ?? null;
	}
	return { expanded, listed };
}

/** A container on one line, for as long as it is closed: `{ role, content }`, `12 items`. */
export function summarize(value: Json): string {
	const count = childCount(value);
	if (Array.isArray(value)) return count === 0 ? "[]" : `[${count}]`;
	if (count === 0) return "{}";
	const keys = Object.keys(value as object);
	const shown = keys.slice(0, 4).join(", ");
	return `{ ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}${count > 4 ? ", …" : ""} }`;
}
