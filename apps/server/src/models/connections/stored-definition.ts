import type { Selectable } from "kysely";
import type { ConnectionDefinition } from "#base/model-connections/definition.ts";
import type { ConnectionSettings } from "#base/model-connections/kinds.ts";
import type { Tables } from "#storage/schema.ts";

export type ConnectionRow = Selectable<Tables["model_connections"]>;

const NANOS_OF_A_DOLLAR = 1_000_000_000;

export function toUsd(nanos: number): number {
	return nanos / NANOS_OF_A_DOLLAR;
}

/** The columns that a definition is stored in. */
export function toColumns(definition: ConnectionDefinition) {
	const { enabled, monthly_budget_usd: budget, models, settings, ...same } = definition;
	return {
		...same,
		settings: JSON.stringify(settings),
		models: models === null ? null : JSON.stringify(models),
		is_enabled: enabled ? 1 : 0,
		monthly_budget_nanos: budget === null ? null : Math.round(budget * NANOS_OF_A_DOLLAR),
	} as const;
}

export function definitionOf(row: ConnectionRow): ConnectionDefinition {
	return {
		name: row.name,
		kind: row.kind,
		base_url: row.base_url,
		api: row.api,
		settings: JSON.parse(row.settings) as ConnectionSettings,
		models: modelsOf(row),
		default_model: row.default_model,
		enabled: row.is_enabled === 1,
		use_by: row.use_by,
		rules_by: row.rules_by,
		max_concurrency: row.max_concurrency,
		requests_per_minute: row.requests_per_minute,
		tokens_per_minute: row.tokens_per_minute,
		monthly_budget_usd: row.monthly_budget_nanos === null ? null : toUsd(row.monthly_budget_nanos),
		timeout_seconds: row.timeout_seconds,
	};
}

/** Names of the models that may be used; null for all. */
export function modelsOf(row: Pick<ConnectionRow, "models">): readonly string[] | null {
	return row.models === null ? null : (JSON.parse(row.models) as readonly string[]);
}
