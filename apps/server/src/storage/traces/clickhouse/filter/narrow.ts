import type { Condition, FilterTarget, Literal, Value } from "@spanward/filter-language";
import { SPAN_KINDS } from "@spanward/semconv";
import { promotedColumn } from "#storage/traces/filter/compile.ts";
import { STATUS_CODES } from "#storage/traces/filter/fields.ts";
import { kindNumber } from "#storage/traces/totals/span-kinds.ts";
import { runningSql } from "#storage/traces/totals/span-node.ts";
import type { Conditions } from "../read/conditions.ts";
import { inClickHouse } from "../read/query.ts";
import { olderSql } from "../readings/older.ts";
import { OF_OWNERS } from "./needed.ts";

/** SQL that is true for every row for which a condition is true. */
export interface Narrowed {
	readonly sql: string;
	/** Whether it is also false and null where the condition is. */
	readonly isExact: boolean;
}

/** Whose rows are narrowed. */
interface InProject {
	readonly projectId: number;
}

/**
 * What ClickHouse can tell of a condition from the columns of the row; undefined when that is nothing.
 * @param where binds values
 */
export function narrowCondition(
	condition: Condition,
	query: InProject,
	target: FilterTarget,
	where: Conditions,
): Narrowed | undefined {
	const narrow = (part: Condition) => narrowCondition(part, query, target, where);
	switch (condition.type) {
		case "and": {
			const parts = condition.conditions.map(narrow);
			const known = parts.filter((part) => part !== undefined);
			if (known.length === 0) return undefined;
			return { sql: `(${known.map(({ sql }) => sql).join(" and ")})`, isExact: isAllExact(parts) };
		}
		case "or": {
			const parts = condition.conditions.map(narrow);
			const known = parts.filter((part) => part !== undefined);
			// A part of which nothing is known may be true for any row.
			if (known.length < parts.length || known.length === 0) return undefined;
			return { sql: `(${known.map(({ sql }) => sql).join(" or ")})`, isExact: isAllExact(parts) };
		}
		case "not": {
			const inner = narrow(condition.condition);
			return inner?.isExact ? { sql: `(not ${inner.sql})`, isExact: true } : undefined;
		}
		case "compare": {
			if (condition.operator === "==") {
				const owned =
					narrowOwned(condition.left, [condition.right], query, target, where) ??
					narrowOwned(condition.right, [condition.left], query, target, where);
				if (owned !== undefined) return owned;
			}
			const [left, right] = [valueSql(condition.left, target, where), valueSql(condition.right, target, where)];
			if (left === undefined || right === undefined || left.type !== right.type) return undefined;
			const operator = condition.operator === "==" ? "=" : condition.operator;
			return { sql: `(${left.sql} ${operator} ${right.sql})`, isExact: true };
		}
		case "in":
			return narrowOwned(condition.value, condition.list, query, target, where) ?? narrowList(condition, target, where);
		case "contains": {
			const within = valueSql(condition.within, target, where);
			const { text } = condition;
			if (within?.type !== "text" || text.type !== "literal") return undefined;
			const needle = String(text.value);
			if (!IS_ASCII.test(needle)) return undefined;
			return { sql: mayContain(within.sql, needle, where), isExact: false };
		}
		case "is_none": {
			const value = valueSql(condition.value, target, where);
			return value && { sql: `isNull(${value.sql})`, isExact: true };
		}
		default:
			return undefined;
	}
}

const IS_ASCII = /^[\x20-\x7e]+$/;
/** Letters beyond ASCII whose lower case has an ASCII letter. */
const LOWERED_TO = { k: "\u212a", i: "\u0130" } as const;

/** Whether a text may contain a word of ASCII letters, in any case. */
export function mayContain(text: string, word: string, where: Conditions): string {
	const found = [`positionCaseInsensitive(${text}, ${where.bind("String", word)}) > 0`];
	for (const [letter, other] of Object.entries(LOWERED_TO))
		if (word.toLowerCase().includes(letter)) found.push(`position(${text}, ${where.bind("String", other)}) > 0`);
	return `(${found.join(" or ")})`;
}

/** Words of which bytes of content can be searched for in any case. */
export function isSearchable(word: string): boolean {
	return IS_ASCII.test(word);
}

function isAllExact(parts: readonly (Narrowed | undefined)[]): boolean {
	return parts.every((part) => part?.isExact === true);
}

/** The spans that have one of these values themselves, or whose trace has. */
function narrowOwned(
	value: Value,
	literals: readonly Value[],
	{ projectId }: InProject,
	target: FilterTarget,
	where: Conditions,
): Narrowed | undefined {
	if (target !== "span" || value.type !== "field" || value.row > 0 || value.ofParent) return undefined;
	if (!OF_OWNERS.has(value.name) || literals.length === 0) return undefined;
	const texts = literals.flatMap((literal) => (literal.type === "literal" ? [String(literal.value)] : []));
	if (texts.length < literals.length) return undefined;
	const isOne = `${value.name} in ${where.bind("Array(String)", texts)}`;
	// Rows that others have replaced do no harm, as what is found is looked at.
	const traces = `select id from traces
		where project_id = ${where.bind("Int64", projectId)} and (${isOne} or ${olderSql("traces")}) settings final = 0`;
	const sql = `(spans.${isOne} or isNull(spans.${value.name}) and spans.trace_row_id in (${traces}))`;
	return { sql, isExact: false };
}

function narrowList(
	{ value, list }: Condition & { type: "in" },
	target: FilterTarget,
	where: Conditions,
): Narrowed | undefined {
	if (list.length === 0) return { sql: "false", isExact: true };
	const found = valueSql(value, target, where);
	if (found === undefined || !list.every((literal) => literalType(literal) === found.type)) return undefined;
	if (found.type === "boolean") return undefined;
	const values = list.map((literal) => literal.value as string | number);
	const literals = where.bind(found.type === "text" ? "Array(String)" : "Array(Float64)", values);
	return { sql: `if(isNull(${found.sql}), null, has(${literals}, assumeNotNull(${found.sql})))`, isExact: true };
}

interface ValueSql {
	readonly sql: string;
	/** Times are numbers of microseconds. */
	readonly type: "text" | "number" | "boolean";
}

function literalType({ valueType }: Literal): ValueSql["type"] {
	return valueType === "datetime" ? "number" : valueType;
}

function valueSql(value: Value, target: FilterTarget, where: Conditions): ValueSql | undefined {
	switch (value.type) {
		case "literal": {
			const type = literalType(value);
			if (type === "text") return { sql: where.bind("String", String(value.value)), type };
			if (type === "number") return { sql: where.bind("Float64", Number(value.value)), type };
			return { sql: where.bind("UInt8", value.value === true ? 1 : 0), type };
		}
		case "field":
			return value.row === 0 && !value.ofParent ? FIELDS[target][value.name] : undefined;
		case "attribute": {
			const column = target === "span" && value.row === 0 ? promotedColumn(value) : undefined;
			return column === undefined ? undefined : { sql: `spans.${column}`, type: "number" };
		}
		default:
			return undefined;
	}
}

const text = (sql: string): ValueSql => ({ sql, type: "text" });
const number = (sql: string): ValueSql => ({ sql, type: "number" });
const flag = (sql: string): ValueSql => ({ sql: `toUInt8(${sql})`, type: "boolean" });

const KINDS = `[${SPAN_KINDS.map(kindNumber).join(", ")}], [${SPAN_KINDS.map((kind) => `'${kind}'`).join(", ")}]`;
const STATUSES = `[0, 1, 2], [${STATUS_CODES.map((code) => `'${code}'`).join(", ")}]`;
const ROOT_STATUS = `transform(traces.root_status, ${STATUSES}, 'UNSET')`;
const IS_RUNNING = inClickHouse(runningSql("spans"));

const SPAN: Readonly<Record<string, ValueSql>> = {
	span_id: text("lower(hex(spans.span_id))"),
	trace_id: text("lower(hex(spans.trace_id))"),
	parent_id: text("lower(hex(spans.parent_span_id))"),
	name: text("spans.name"),
	span_kind: text(`transform(spans.kind, ${KINDS}, 'UNKNOWN')`),
	status_code: text(`transform(spans.status_code, ${STATUSES}, 'UNSET')`),
	status_message: text("coalesce(spans.status_message, '')"),
	model: text("spans.model"),
	provider: text("spans.provider"),
	api_key: text("toString(spans.api_key_id)"),
	start_time: number("toFloat64(spans.start_micros)"),
	end_time: number("toFloat64(spans.end_micros)"),
	latency_ms: number(`if(${IS_RUNNING}, null, (spans.end_micros - spans.start_micros) / 1000)`),
	is_running: flag(IS_RUNNING),
	llm_token_count_prompt: number("spans.tokens_prompt"),
	llm_token_count_completion: number("spans.tokens_completion"),
	llm_token_count_total: number(
		"coalesce(spans.tokens_total, spans.tokens_prompt + coalesce(spans.tokens_completion, 0), spans.tokens_completion)",
	),
	total_cost: number("coalesce(spans.cost_total, 0)"),
	prompt_cost: number("coalesce(spans.cost_prompt, 0)"),
	completion_cost: number("coalesce(spans.cost_completion, 0)"),
};

function totals(table: "traces" | "sessions"): Record<string, ValueSql> {
	const pico = `(${table}.cost_micro * 1e6 + ${table}.cost_pico)`;
	return {
		start_time: number(`toFloat64(${table}.start_micros)`),
		end_time: number(`toFloat64(${table}.end_micros)`),
		is_running: flag(`${table}.running_count > 0`),
		num_spans: number(`toFloat64(${table}.span_count)`),
		error_count: number(`toFloat64(${table}.error_count)`),
		token_count_prompt: number(`${table}.tokens_prompt`),
		token_count_completion: number(`${table}.tokens_completion`),
		token_count_total: number(`${table}.tokens_total`),
		// The same as `toDollars`.
		total_cost: number(
			`if(abs(${pico}) < 9007199254740992, ${pico} / 1e12, ${table}.cost_micro / 1e6 + ${table}.cost_pico / 1e12)`,
		),
	};
}

const FIELDS: Readonly<Record<FilterTarget, Readonly<Record<string, ValueSql>>>> = {
	span: SPAN,
	trace: {
		...totals("traces"),
		trace_id: text("lower(hex(traces.trace_id))"),
		session_id: text("traces.session_id"),
		user_id: text("traces.user_id"),
		release: text("traces.release"),
		environment: text("traces.environment"),
		name: text("traces.root_name"),
		root_kind: text(`transform(traces.root_kind, ${KINDS}, 'UNKNOWN')`),
		root_status_code: text(ROOT_STATUS),
		status_code: text(`if(traces.error_count > 0, 'ERROR', ${ROOT_STATUS})`),
		latency_ms: number("if(traces.running_count > 0, null, (traces.end_micros - traces.start_micros) / 1000)"),
	},
	session: {
		...totals("sessions"),
		session_id: text("sessions.session_id"),
		user_id: text("sessions.user_id"),
		status_code: text("if(sessions.error_count > 0, 'ERROR', 'UNSET')"),
		duration_ms: number("((sessions.end_micros - sessions.start_micros) / 1000)"),
		num_traces: number("toFloat64(sessions.trace_count)"),
	},
};
