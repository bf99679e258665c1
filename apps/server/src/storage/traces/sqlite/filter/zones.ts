import type { CompareOperator, Condition, Value } from "@spanward/filter-language";
import { promotedColumn } from "#storage/traces/filter/compile.ts";
import { STATUS_CODES } from "#storage/traces/filter/fields.ts";
import { join, raw, type Sql, sql } from "#storage/traces/filter/sql.ts";
import type { SpanQuery } from "#storage/traces/trace-store.ts";

/**
 * A condition on a row of `span_zones` that is true for each zone with a span that the query selects; undefined when
 * the query says nothing about values that zones know.
 */
export function zoneCondition(query: SpanQuery): Sql | undefined {
	const { condition, error, statusCodes, minLatencyMs } = query;
	const all = [
		condition === undefined ? undefined : zonesOf(condition),
		error === true ? sql`status_code >= 2` : undefined,
		statusCodes === undefined || statusCodes.length === 0 ? undefined : sql`status_code >= ${Math.min(...statusCodes)}`,
		minLatencyMs === undefined ? undefined : sql`latency_micros >= ${minLatencyMs * 1_000}`,
	].filter((each) => each !== undefined);
	return all.length === 0 ? undefined : join(all, " and ");
}

function zonesOf(condition: Condition): Sql | undefined {
	switch (condition.type) {
		case "and": {
			const parts = condition.conditions.map(zonesOf).filter((part) => part !== undefined);
			return parts.length === 0 ? undefined : sql`(${join(parts, " and ")})`;
		}
		case "or": {
			const parts = condition.conditions.map(zonesOf);
			const known = parts.filter((part) => part !== undefined);
			return known.length < parts.length ? undefined : sql`(${join(known, " or ")})`;
		}
		case "compare":
			return (
				atLeast(condition.left, condition.operator, condition.right) ??
				atLeast(condition.right, MIRRORED[condition.operator], condition.left)
			);
		default:
			return undefined;
	}
}

const MIRRORED: Readonly<Record<CompareOperator, CompareOperator>> = {
	"==": "==",
	"!=": "!=",
	"<": ">",
	"<=": ">=",
	">": "<",
	">=": "<=",
};

/** If a span's value is at least, above or equal to a literal, the largest of its zone is at least or above it. */
function atLeast(value: Value, operator: CompareOperator, literal: Value): Sql | undefined {
	if (literal.type !== "literal" || !(operator === "==" || operator === ">" || operator === ">=")) return undefined;
	if (value.type === "field" && value.name === "status_code") {
		if (value.row !== 0 || value.ofParent || operator !== "==") return undefined;
		return sql`status_code >= ${STATUS_CODES.indexOf(String(literal.value))}`;
	}
	const column = columnOf(value);
	if (column === undefined || typeof literal.value !== "number") return undefined;
	return sql`${raw(column)} ${raw(operator === ">" ? ">" : ">=")} ${literal.value}`;
}

function columnOf(value: Value): string | undefined {
	if (value.type === "attribute" && value.row === 0) return promotedColumn(value);
	return value.type === "field" && value.row === 0 && !value.ofParent ? COLUMNS[value.name] : undefined;
}

const COLUMNS: Readonly<Partial<Record<string, string>>> = {
	latency_ms: "latency_micros / 1000.0",
	llm_token_count_prompt: "tokens_prompt",
	llm_token_count_completion: "tokens_completion",
	llm_token_count_total: "tokens_total",
};
