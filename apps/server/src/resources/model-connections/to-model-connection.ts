import type { z } from "zod";
import type { DeclaredConnection } from "#base/model-connections/read-declared.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { stateOf } from "#models/connections/connection-state.ts";
import { type HeldCredential, headerOf } from "#models/connections/credentials.ts";
import type { MonthSpending } from "#models/connections/spending.ts";
import { type ConnectionRow, definitionOf, modelsOf, toUsd } from "#models/connections/stored-definition.ts";
import { addressOf } from "#models/connections/target.ts";
import { isFailing } from "#models/ledger/failing.ts";
import type { ModelConnection } from "./schemas.ts";

/** What an admin sees of a connection besides its row. */
export interface ConnectionDetails {
	readonly held: readonly HeldCredential[];
	readonly declared: DeclaredConnection | undefined;
	/** `202611` */
	readonly month: number;
	readonly spending: MonthSpending | undefined;
}

type Wire = z.output<typeof ModelConnection>;

interface Now {
	readonly isAuthOn: boolean;
	/** Microseconds since 1970, by the database's clock as all times of calls are. */
	readonly now: number;
}

/** @param details absent for who is not an admin */
export function toModelConnection(
	row: ConnectionRow,
	{ isAuthOn, now }: Now,
	details: ConnectionDetails | undefined,
): Wire {
	return {
		id: encodeGlobalId("ModelConnection", row.id),
		name: row.name,
		kind: row.kind,
		models: modelsOf(row)?.slice() ?? null,
		default_model: row.default_model,
		enabled: row.is_enabled === 1,
		state: stateOf(row, isAuthOn, now),
		use_by: row.use_by,
		rules_by: row.rules_by,
		...(details === undefined ? {} : toDetails(row, now, details)),
	};
}

function toDetails(
	row: ConnectionRow,
	now: number,
	{ held, declared, month, spending }: ConnectionDetails,
): Partial<Wire> {
	const definition = definitionOf(row);
	const { base_url, api, settings, max_concurrency, requests_per_minute, tokens_per_minute } = definition;
	const stored = held.filter(({ field }) => headerOf(field) === undefined);
	return {
		...{ base_url, api, settings, max_concurrency, requests_per_minute, tokens_per_minute },
		origin: row.origin,
		address: addressOf(definition) ?? null,
		credentials: {
			...Object.fromEntries(
				Object.keys(declared?.credentials ?? {}).map((field) => [field, { secret: null, updated_at: null }]),
			),
			...Object.fromEntries(
				stored.map(({ field, secret_key: secret, updated_at }) => [
					field,
					{ secret, updated_at: formatTime(updated_at) },
				]),
			),
		},
		headers: [...Object.keys(declared?.headers ?? {}), ...held.flatMap(({ field }) => headerOf(field) ?? [])].sort(),
		confirmed: row.is_confirmed === 1,
		failing:
			row.failing_code === null || row.failing_since === null || !isFailing(row, now)
				? null
				: { code: row.failing_code, reason: row.failing_reason ?? "", since: formatTime(row.failing_since) },
		monthly_budget_usd: definition.monthly_budget_usd,
		timeout_seconds: definition.timeout_seconds,
		spending: {
			month: `${Math.floor(month / 100)}-${String(month % 100).padStart(2, "0")}`,
			spent_usd: toUsd(spending?.spent ?? 0),
			reserved_usd: toUsd(spending?.reserved ?? 0),
		},
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}
