import type { Field, RowKind } from "@spanward/filter-language";
import { SPAN_KINDS } from "@spanward/semconv";
import { kindNumber, LLM } from "../totals/span-kinds.ts";
import { RUNNING, UNCOUNTED_FLAGS } from "../totals/span-node.ts";
import type { Dialect } from "./dialect.ts";
import { raw, type Sql, sql } from "./sql.ts";

type FieldSql = (row: Sql, dialect: Dialect) => Sql;

const TOOL = kindNumber("TOOL");

const KIND_CASES = SPAN_KINDS.map((kind) => `when ${kindNumber(kind)} then '${kind}'`).join(" ");
export const STATUS_CODES = ["UNSET", "OK", "ERROR"];
const STATUS_CASES = STATUS_CODES.map((code, number) => `when ${number} then '${code}'`).join(" ");

const column =
	(name: string): FieldSql =>
	(row) =>
		sql`${row}.${raw(name)}`;
/** The same as `toDollars`. */
const summedCost: FieldSql = (row) =>
	sql`(case when abs(${row}.cost_micro * 1e6 + ${row}.cost_pico) < 9007199254740992
		then (${row}.cost_micro * 1e6 + ${row}.cost_pico) / 1e12 else ${row}.cost_micro / 1e6 + ${row}.cost_pico / 1e12 end)`;
const milliseconds = (row: Sql) => sql`((${row}.end_micros - ${row}.start_micros) / 1000.0)`;
/** A column of a span, else of its trace. */
const ownOrOfTrace =
	(name: "user_id" | "release" | "environment"): FieldSql =>
	(row) =>
		sql`coalesce(${row}.${raw(name)}, ${ofOwner(row, raw(`owner.${name}`))})`;
/** The same as `runningSql`. */
const runningSpan = (row: Sql) => sql`(${row}.flags & ${raw(`${RUNNING}`)} <> 0 or ${row}.end_micros = 0)`;

const SPAN: Readonly<Record<string, FieldSql>> = {
	span_id: (row, { hex }) => hex(sql`${row}.span_id`),
	trace_id: (row, { hex }) => ofOwner(row, hex(raw("owner.trace_id"))),
	parent_id: (row, { hex }) => hex(sql`${row}.parent_span_id`),
	name: column("name"),
	span_kind: (row) => sql`(case ${row}.kind ${raw(KIND_CASES)} else 'UNKNOWN' end)`,
	status_code: (row) => sql`(case ${row}.status_code ${raw(STATUS_CASES)} else 'UNSET' end)`,
	status_message: (row) => sql`coalesce(${row}.status_message, '')`,
	model: column("model"),
	provider: column("provider"),
	user_id: ownOrOfTrace("user_id"),
	session_id: (row) => sql`coalesce(${row}.session_id, ${ofOwner(row, sessionOf(raw("owner")))})`,
	release: ownOrOfTrace("release"),
	environment: ownOrOfTrace("environment"),
	api_key: (row) => sql`cast(${row}.api_key_id as text)`,
	error_group: (row) =>
		sql`(select own.fingerprint from error_occurrences as failed join error_groups as own on own.id = failed.group_id
			where failed.span_row_id = ${row}.id)`,
	error_kind: (row) => sql`(select failed.kind from error_occurrences as failed where failed.span_row_id = ${row}.id)`,
	error_tool: (row) => sql`(select failed.tool from error_occurrences as failed where failed.span_row_id = ${row}.id)`,
	start_time: column("start_micros"),
	end_time: column("end_micros"),
	latency_ms: (row) => sql`(case when not ${runningSpan(row)} then ${milliseconds(row)} end)`,
	is_running: (row, { flag }) => flag(runningSpan(row)),
	llm_token_count_prompt: column("tokens_prompt"),
	llm_token_count_completion: column("tokens_completion"),
	llm_token_count_total: (row) =>
		sql`coalesce(${row}.tokens_total, ${row}.tokens_prompt + coalesce(${row}.tokens_completion, 0), ${row}.tokens_completion)`,
	cumulative_llm_token_count_prompt: cumulative("prompt"),
	cumulative_llm_token_count_completion: cumulative("completion"),
	cumulative_llm_token_count_total: cumulative("total"),
	cumulative_error_count: cumulative("errors"),
	total_cost: (row) => sql`coalesce(${row}.cost_total, 0)`,
	prompt_cost: (row) => sql`coalesce(${row}.cost_prompt, 0)`,
	completion_cost: (row) => sql`coalesce(${row}.cost_completion, 0)`,
};

const TRACE: Readonly<Record<string, FieldSql>> = {
	trace_id: (row, { hex }) => hex(sql`${row}.trace_id`),
	session_id: sessionOf,
	user_id: column("user_id"),
	release: column("release"),
	environment: column("environment"),
	name: column("root_name"),
	root_kind: (row) => sql`(case ${row}.root_kind ${raw(KIND_CASES)} else 'UNKNOWN' end)`,
	root_status_code: rootStatus,
	status_code: (row) => sql`(case when ${row}.error_count > 0 then 'ERROR' else ${rootStatus(row)} end)`,
	start_time: column("start_micros"),
	end_time: column("end_micros"),
	latency_ms: (row) => sql`(case when ${row}.running_count = 0 then ${milliseconds(row)} end)`,
	is_running: (row, { flag }) => flag(sql`(${row}.running_count > 0)`),
	num_spans: column("span_count"),
	error_count: column("error_count"),
	tool_span_count: (row) => spansOfTrace(row, "count(*)", `part.kind = ${TOOL}`),
	llm_span_count: (row) => spansOfTrace(row, "count(*)", `part.kind = ${LLM}`),
	...tokenTotals(),
	total_cost: summedCost,
	prompt_cost: (row) => spansOfTrace(row, "coalesce(sum(part.cost_prompt), 0)", `part.flags & ${UNCOUNTED_FLAGS} = 0`),
	completion_cost: (row) =>
		spansOfTrace(row, "coalesce(sum(part.cost_completion), 0)", `part.flags & ${UNCOUNTED_FLAGS} = 0`),
	input: (row, dialect) => traceText(row, dialect, "input"),
	output: (row, dialect) => traceText(row, dialect, "output"),
};

function rootStatus(trace: Sql): Sql {
	return sql`(case ${trace}.root_status ${raw(STATUS_CASES)} else 'UNSET' end)`;
}

const SESSION: Readonly<Record<string, FieldSql>> = {
	session_id: column("session_id"),
	user_id: (row) => ofFirstTrace(row, raw("member.user_id")),
	status_code: (row) => sql`(case when ${row}.error_count > 0 then 'ERROR' else 'UNSET' end)`,
	start_time: column("start_micros"),
	end_time: column("end_micros"),
	duration_ms: milliseconds,
	is_running: (row, { flag }) => flag(sql`(${row}.running_count > 0)`),
	num_traces: column("trace_count"),
	num_traces_with_error: (row) =>
		sql`(select count(*) from traces as member where member.session_row_id = ${row}.id and member.error_count > 0)`,
	num_spans: column("span_count"),
	error_count: column("error_count"),
	tool_span_count: (row, dialect) => spansOfSession(row, dialect, "count(*)", `part.kind = ${TOOL}`),
	llm_span_count: (row, dialect) => spansOfSession(row, dialect, "count(*)", `part.kind = ${LLM}`),
	...tokenTotals(),
	total_cost: summedCost,
	prompt_cost: (row, dialect) =>
		spansOfSession(row, dialect, "coalesce(sum(part.cost_prompt), 0)", `part.flags & ${UNCOUNTED_FLAGS} = 0`),
	completion_cost: (row, dialect) =>
		spansOfSession(row, dialect, "coalesce(sum(part.cost_completion), 0)", `part.flags & ${UNCOUNTED_FLAGS} = 0`),
	first_input: (row, dialect) => ofFirstTrace(row, traceText(raw("member"), dialect, "input")),
	last_output: (row, dialect) => ofLastTrace(row, traceText(raw("member"), dialect, "output")),
};

const ANNOTATION: Readonly<Record<string, FieldSql>> = {
	name: column("name"),
	label: column("label"),
	score: column("score"),
	explanation: column("explanation"),
	identifier: column("identifier"),
	annotator_kind: column("annotator_kind"),
};

// The span of a detail is `<row>_span`. Cache reads and writes are part of the prompt's tokens and cost, reasoning is
// part of the completion's.
const COST_DETAIL: Readonly<Record<string, FieldSql>> = {
	token_type: column("token_type"),
	is_prompt: (row, { flag }) => flag(sql`(${row}.token_type in ('input', 'cache_read', 'cache_write'))`),
	cost: (row) => perTokenType(row, "cost"),
	tokens: (row) => perTokenType(row, "tokens"),
	cost_per_token: (row) => sql`(${perTokenType(row, "cost")} / nullif(${perTokenType(row, "tokens")}, 0.0))`,
};

const FIELDS: Readonly<Record<RowKind, Readonly<Record<string, FieldSql>>>> = {
	span: SPAN,
	trace: TRACE,
	session: SESSION,
	annotation: ANNOTATION,
	cost_detail: COST_DETAIL,
};

export function fieldSql(kind: RowKind, { name }: Field, row: Sql, dialect: Dialect): Sql {
	const field = FIELDS[kind][name];
	if (field === undefined) throw new Error(`a filter asks for ${kind} field ${name}, which has no SQL`);
	return field(row, dialect);
}

/** What the row itself tells or, of a span, the one row of its trace. */
const QUICK: Readonly<Partial<Record<RowKind, ReadonlySet<string>>>> = {
	span: new Set(Object.keys(SPAN).filter((name) => !name.startsWith("cumulative_") && name !== "trace_id")),
	trace: new Set(
		"trace_id user_id release environment name root_kind root_status_code status_code start_time end_time latency_ms is_running num_spans error_count token_count_prompt token_count_completion token_count_total total_cost".split(
			" ",
		),
	),
	session: new Set(
		"session_id status_code start_time end_time duration_ms is_running num_traces num_spans error_count token_count_prompt token_count_completion token_count_total total_cost".split(
			" ",
		),
	),
};

export function isQuick(kind: RowKind, { name }: Field): boolean {
	return QUICK[kind]?.has(name) ?? false;
}

/** Input or output of a trace's root span, else the text that the list of traces shows. */
export function traceText(row: Sql, dialect: Dialect, side: "input" | "output"): Sql {
	const own = dialect.attribute(spanOfNumber(sql`${row}.root_span`), [side, "value"], "searched");
	return sql`coalesce(${own}, ${shownText(row, dialect, side)})`;
}

export function shownText(row: Sql, dialect: Dialect, side: "input" | "output"): Sql {
	return dialect.shownText(sql`${row}.${raw(`${side}_span`)}`, side);
}

export function spanOfNumber(id: Sql): { id: Sql; block: Sql; ordinal: Sql } {
	return { id, block: raw("null"), ordinal: raw("null") };
}

/** Of the trace of a span, as `owner`. */
function ofOwner(span: Sql, value: Sql): Sql {
	return sql`(select ${value} from traces as owner where owner.id = ${span}.trace_row_id)`;
}

function sessionOf(trace: Sql): Sql {
	return sql`(select whole.session_id from sessions as whole where whole.id = ${trace}.session_row_id)`;
}

export function ofFirstTrace(row: Sql, value: Sql): Sql {
	return sql`(select ${value} from traces as member where member.session_row_id = ${row}.id
		order by member.start_micros, member.start_nanos, member.trace_id limit 1)`;
}

export function ofLastTrace(row: Sql, value: Sql): Sql {
	return sql`(select ${value} from traces as member where member.session_row_id = ${row}.id
		order by member.start_micros desc, member.start_nanos desc, member.trace_id desc limit 1)`;
}

function cumulative(total: "prompt" | "completion" | "total" | "errors"): FieldSql {
	return (row, dialect) => dialect.cumulative({ id: sql`${row}.id`, trace: sql`${row}.trace_row_id` }, total);
}

function tokenTotals(): Record<string, FieldSql> {
	return {
		token_count_prompt: column("tokens_prompt"),
		token_count_completion: column("tokens_completion"),
		token_count_total: column("tokens_total"),
	};
}

function spansOfTrace(row: Sql, value: string, where: string): Sql {
	return sql`(select ${raw(value)} from spans as part where part.trace_row_id = ${row}.id and ${raw(where)})`;
}

function spansOfSession(row: Sql, { join }: Dialect, value: string, where: string): Sql {
	return sql`(select ${raw(value)} from traces as member ${join} spans as part on part.trace_row_id = member.id
		where member.session_row_id = ${row}.id and ${raw(where)})`;
}

export const TOKEN_TYPES = ["input", "output", "cache_read", "cache_write", "reasoning"];

/** Of the span of a cost detail; null where the span has no such part. */
function perTokenType(row: Sql, what: "cost" | "tokens"): Sql {
	const part = (name: string) => sql`${row}_span.${raw(`${what}_${name}`)}`;
	const without = (whole: string, parts: readonly string[]) =>
		parts.reduce((rest, name) => sql`${rest} - coalesce(${part(name)}, 0)`, part(whole));
	return sql`(case ${row}.token_type when 'input' then ${without("prompt", ["cache_read", "cache_write"])}
		when 'output' then ${without("completion", ["reasoning"])} when 'cache_read' then ${part("cache_read")}
		when 'cache_write' then ${part("cache_write")} else ${part("reasoning")} end)`;
}
