import { kindOf } from "../totals/span-kinds.ts";
import { runningSql, UNCOUNTED_FLAGS } from "../totals/span-node.ts";
import type { GroupField, GroupValue } from "./analytics-query.ts";
import type { Quantity } from "./measures.ts";
import type { RowValue } from "./parts.ts";
import type { AnalyticsPlan } from "./plan.ts";

/**
 * The same as `row-numbers.ts`, as SQL that SQLite and PostgreSQL understand, on a row of `spans` or on a row of `traces`.
 */
export interface RowColumns {
	readonly table: "spans" | "traces";
	/** Of a {@link RawRow}, in its order; those of groups are to be read with `groupReaders`. */
	readonly columns: readonly string[];
}

/** The values of a row: its start, those of each `group_by`, its quantities and its identities. */
export type RawRow = readonly unknown[];

/** Hands out rows, one after the other, each time in full; a row is only to be read while it is handed out. */
export type RawRows = (add: (row: RawRow) => void) => void;

type Sql = Readonly<Record<string, string>>;

const COUNTED = `spans.flags & ${UNCOUNTED_FLAGS} = 0`;
const TOKENS =
	"coalesce(spans.tokens_total, spans.tokens_prompt + coalesce(spans.tokens_completion, 0), spans.tokens_completion)";
const SPAN_LATENCY = `case when ${runningSql("spans")} then null
	when spans.end_micros > spans.start_micros then spans.end_micros - spans.start_micros else 0 end`;
const TRACE_LATENCY = `case when traces.running_count > 0 then null
	when traces.end_micros > traces.start_micros then traces.end_micros - traces.start_micros else 0 end`;
const flag = (condition: string) => `case when ${condition} then 1 else 0 end`;
const counted = (value: string) => `case when ${COUNTED} then ${value} end`;
const TOKEN_TYPES = ["prompt", "completion", "cache_read", "cache_write", "reasoning"];
const COST_TYPES = ["total", ...TOKEN_TYPES];

const SPAN_NUMBERS: Sql = {
	errors: flag("spans.status_code = 2"),
	latency: SPAN_LATENCY,
	...Object.fromEntries(TOKEN_TYPES.map((type) => [`tokens_${type}`, counted(`spans.tokens_${type}`)])),
	tokens_total: counted(TOKENS),
	...Object.fromEntries(COST_TYPES.map((type) => [`cost_${type}`, counted(`spans.cost_${type}`)])),
	unpriced: flag(`${COUNTED} and ${TOKENS} > 0 and spans.cost_total is null`),
};

/** The same as `toDollars`. */
const TRACE_COST = `case when traces.costed_spans = 0 then null
	when abs(traces.cost_micro * 1e6 + traces.cost_pico) < 9007199254740992
		then (traces.cost_micro * 1e6 + traces.cost_pico) / 1e12
	else traces.cost_micro / 1e6 + traces.cost_pico / 1e12 end`;

const TRACE_NUMBERS: Sql = {
	errors: flag("traces.error_count > 0"),
	failed: flag("traces.root_status = 2"),
	latency: TRACE_LATENCY,
	spans: "traces.span_count",
	tokens_prompt: "traces.tokens_prompt",
	tokens_completion: "traces.tokens_completion",
	tokens_total: "traces.tokens_total",
	cost_total: TRACE_COST,
};

type Fields = Readonly<Record<GroupField, string>>;

const sessionOf = (row: string) => `(select session_id from sessions where sessions.id = ${row}.session_row_id)`;

const errorGroupOf = (span: string) => `(select own.fingerprint from error_occurrences as failed
	join error_groups as own on own.id = failed.group_id where failed.span_row_id = ${span})`;

const SPAN_FIELDS: Fields = {
	project: "spans.project_id",
	model: "spans.model",
	provider: "spans.provider",
	kind: "spans.kind",
	name: "spans.name",
	status: "spans.status_code",
	user: orOwners("user_id"),
	session: `coalesce(spans.session_id, (select owner_session.session_id from traces as owner
		join sessions as owner_session on owner_session.id = owner.session_row_id where owner.id = spans.trace_row_id))`,
	release: orOwners("release"),
	environment: orOwners("environment"),
	api_key: "cast(spans.api_key_id as text)",
	error_group: errorGroupOf("spans.id"),
};

/** Of the span itself, else of its trace, whose row is not looked for where the span has one. */
function orOwners(column: string): string {
	return `coalesce(spans.${column}, (select owner.${column} from traces as owner where owner.id = spans.trace_row_id))`;
}

const TRACE_FIELDS: Fields = {
	project: "traces.project_id",
	model: "traces.root_model",
	provider: "(select provider from spans where spans.id = traces.root_span)",
	kind: "traces.root_kind",
	name: "traces.root_name",
	status: "case when traces.error_count > 0 then 2 else traces.root_status end",
	user: "traces.user_id",
	session: sessionOf("traces"),
	release: "traces.release",
	environment: "traces.environment",
	api_key: "(select cast(api_key_id as text) from spans where spans.id = traces.root_span)",
	error_group: errorGroupOf("traces.root_span"),
};

/**
 * Undefined where SQL does not have it: for sessions, and for what is read from attributes of root spans or may be several
 * values. What is read from attributes of spans themselves is null, for the store to fill in.
 */
export function columnsOf({ query, parts, needsContent, isOverlapping }: AnalyticsPlan): RowColumns | undefined {
	if (query.groupBy.some(({ type }) => type === "label") || (query.of !== "spans" && query.of !== "traces"))
		return undefined;
	if (needsContent && (query.of === "traces" || isOverlapping)) return undefined;
	const isSpans = query.of === "spans";
	const [numbers, fields] = isSpans ? [SPAN_NUMBERS, SPAN_FIELDS] : [TRACE_NUMBERS, TRACE_FIELDS];
	const names = query.groupBy.map((by) => (by.type === "field" ? by.name : "name"));
	const several = query.projectIds.length > 1;
	const groups = names.map((name) => fields[name]);
	const quantities = parts.quantities.map((name) => {
		const value = parts.values.get(name);
		return value === undefined ? numberSql(numbers, name) : valueSql(numbers, value, isSpans);
	});
	const identities = parts.identities.map((name) => {
		if (name === "trace") return isSpans ? "spans.trace_row_id" : "traces.id";
		if (name === "user") return fields.user;
		// In one project, its row tells a session as well as its id, which is in another table.
		if (!isSpans && !several) return "traces.session_row_id";
		return several ? `${fields.project} || ' ' || ${fields.session}` : fields.session;
	});
	return { table: query.of, columns: [`${query.of}.start_micros`, ...groups, ...quantities, ...identities] };
}

function numberSql(numbers: Sql, name: Quantity): string {
	const sql = numbers[name];
	if (sql === undefined) throw new Error(`there is no SQL for ${name}`);
	return sql;
}

function valueSql(numbers: Sql, value: RowValue, isSpans: boolean): string {
	if (value.type === "attribute") return "null";
	if (value.name === "latency_ms") return `(${numbers["latency"]}) / 1000.0`;
	if (value.name === "start") return isSpans ? "spans.start_micros" : "traces.start_micros";
	if (value.name === "row") return isSpans ? "spans.id" : "traces.id";
	if (value.name === "total_cost") return isSpans ? "spans.cost_total" : numberSql(numbers, "cost_total");
	return isSpans ? TOKENS : numberSql(numbers, "tokens_total");
}

const STATUSES = ["UNSET", "OK", "ERROR"];

/** How the values of the columns of groups are read. */
export function groupReaders({ query }: AnalyticsPlan): ((value: unknown) => GroupValue)[] {
	return query.groupBy.map((by) => {
		const name = by.type === "field" ? by.name : undefined;
		if (name === "kind") return (value) => kindOf(Number(value));
		if (name === "status") return (value) => STATUSES[Number(value)] ?? "UNSET";
		if (name === "project") return (value) => Number(value);
		if (name === "model") return (value) => (value === "" ? null : (value as string | null));
		return (value) => value as string | null;
	});
}
