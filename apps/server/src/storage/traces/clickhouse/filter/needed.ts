import type { Condition, FilterTarget, RowKind, Rows, Value } from "@spanward/filter-language";
import { promotedColumn } from "#storage/traces/filter/compile.ts";

/** What deciding a condition takes besides the row itself. */
export interface Needed {
	/** Traces of sessions. */
	readonly traces: boolean;
	/** The traces of the rows, which are spans. */
	readonly owners: boolean;
	/** All spans of the traces concerned. */
	readonly spans: boolean;
	/** Content: of the row, which is a span, or of all these spans. */
	readonly contents: "none" | "own" | "all";
	/** Content of the root spans of traces. */
	readonly roots: boolean;
	readonly annotations: boolean;
	/** The occurrences of errors that spans are. */
	readonly failures: boolean;
}

/** Fields that are counted over spans. */
const OVER_SPANS = new Set(["tool_span_count", "llm_span_count", "prompt_cost", "completion_cost"]);
/** Fields of spans that are those of their traces where they have none themselves. */
export const OF_OWNERS: ReadonlySet<string> = new Set(["user_id", "session_id", "release", "environment"]);
const OF_FAILURES: ReadonlySet<string> = new Set(["error_group", "error_kind", "error_tool"]);
const TEXTS = new Set(["input", "output", "first_input", "last_output", "any_input", "any_output"]);

export function neededFor(condition: Condition, target: FilterTarget): Needed {
	const walk = new Walk(target);
	walk.condition(condition);
	return walk.needed;
}

class Walk {
	readonly needed = {
		traces: false,
		owners: false,
		spans: false,
		contents: "none" as "none" | "own" | "all",
		roots: false,
		annotations: false,
		failures: false,
	};
	readonly #kinds: RowKind[];

	constructor(target: FilterTarget) {
		this.#kinds = [target];
	}

	condition(condition: Condition): void {
		switch (condition.type) {
			case "and":
			case "or":
				for (const part of condition.conditions) this.condition(part);
				break;
			case "not":
				this.condition(condition.condition);
				break;
			case "compare":
				this.#value(condition.left);
				this.#value(condition.right);
				break;
			case "in":
			case "is_none":
				this.#value(condition.value);
				break;
			case "contains":
				this.#value(condition.text);
				this.#value(condition.within);
				break;
			case "has_tag":
				this.#content(condition.row);
				break;
			case "is_root":
				this.needed.spans = true;
				break;
			case "has_annotation":
				this.needed.annotations = true;
				break;
			case "any":
			case "all":
				this.#rows(condition.rows);
				this.condition(condition.condition);
				break;
		}
	}

	#value(value: Value): void {
		switch (value.type) {
			case "attribute":
				if (this.#kinds[value.row] === "span" && promotedColumn(value) !== undefined) break;
				this.#content(value.row);
				break;
			case "field":
				if (value.ofParent || value.name.startsWith("cumulative_")) this.needed.spans = true;
				if (value.ofParent) this.#fieldOfSpan(value.name);
				else this.#field(value.row, value.name);
				break;
			case "annotation":
				this.needed.annotations = true;
				break;
			case "arithmetic":
				this.#value(value.left);
				this.#value(value.right);
				break;
			case "negative":
			case "cast":
				this.#value(value.value);
				break;
			case "count":
				this.#rows(value.rows);
				break;
			case "sum":
			case "max":
			case "min":
				this.#rows(value.rows);
				this.#value(value.value);
				break;
			case "literal":
				break;
		}
	}

	#field(row: number, name: string): void {
		const kind = this.#kinds[row];
		if (kind === "span") this.#fieldOfSpan(name);
		if (kind !== "trace" && kind !== "session") return;
		if (OVER_SPANS.has(name)) this.#spans();
		if (TEXTS.has(name)) this.#roots();
		if (name === "num_traces_with_error") this.needed.traces = true;
	}

	#fieldOfSpan(name: string): void {
		if (OF_OWNERS.has(name)) this.needed.owners = true;
		if (OF_FAILURES.has(name)) this.needed.failures = true;
	}

	#content(row: number): void {
		if (this.#kinds[row] !== "span") this.#roots();
		else if (row > 0) this.needed.contents = "all";
		else if (this.needed.contents === "none") this.needed.contents = "own";
	}

	#rows({ row, kind, collection, of, condition }: Rows): void {
		this.#kinds[row] = kind;
		if (collection === "traces") this.needed.traces = true;
		const isOfOthers = this.#kinds[of] !== "span" || collection === "children" || collection === "siblings";
		if (isOfOthers && (kind === "span" || collection.startsWith("span_") || collection === "cost_details"))
			this.#spans();
		if (kind === "annotation") this.needed.annotations = true;
		if (condition !== undefined) this.condition(condition);
	}

	#spans(): void {
		this.needed.spans = true;
		this.needed.traces = true;
	}

	#roots(): void {
		this.needed.roots = true;
		this.needed.traces = true;
	}
}
