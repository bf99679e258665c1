import { KEY_ENDS_SOON_MS } from "#access/auth/principals/api-key.ts";
import type { Database } from "#storage/database.ts";
import { counter, type Family, gauge, sample } from "./exposition.ts";

/** A key that was used within this time is in use. */
const IN_USE_MICROS = 86_400_000_000;

/**
 * Counts of API keys with and without expiry, how soon the first one in use ends, and how often keys were refused.
 * @param refusals by the code of the error
 */
export async function keyFamilies(
	db: Pick<Database, "read">,
	nowMs: number,
	refusals: ReadonlyMap<string, number>,
): Promise<readonly Family[]> {
	const refused = counter(
		"spanward_api_key_refused_total",
		"Requests with an API key that exists and may not do this, by the code of the error.",
		[...refusals].map(([code, count]) => sample(count, { code })),
	);
	return [refused, ...(await countFamilies(db, nowMs)), ...(await expiryFamilies(db, nowMs))];
}

/** Seconds until the first key in use ends; no sample when none does. */
async function expiryFamilies({ read }: Pick<Database, "read">, nowMs: number): Promise<readonly Family[]> {
	const first = await read
		.selectFrom("api_keys")
		.select((select) => select.fn.min("expires_at_ms").as("ends"))
		.where("expires_at_ms", ">", nowMs)
		.where("last_used_at", ">", nowMs * 1_000 - IN_USE_MICROS)
		.executeTakeFirst()
		.catch(() => undefined);
	const ends = first?.ends ?? null;
	return [
		gauge(
			"spanward_api_keys_expire_within_seconds",
			"Seconds until the first of the API keys that were used within a day expires; absent while none of them does.",
			ends === null ? [] : [sample((Number(ends) - nowMs) / 1_000)],
		),
	];
}

/** Counts of API keys with and without expiry; empty when the database does not answer, which other metrics show. */
async function countFamilies({ read }: Pick<Database, "read">, nowMs: number): Promise<readonly Family[]> {
	const states = await read
		.selectFrom("api_keys")
		.select((select) => [
			"kind",
			select
				.case()
				.when("expires_at_ms", "<=", nowMs)
				.then("ended")
				.when("expires_at_ms", "<=", nowMs + KEY_ENDS_SOON_MS)
				.then("ending_soon")
				.else("lasting")
				.end()
				.as("state"),
			select.fn.countAll<number>().as("count"),
		])
		.groupBy(["kind", "state"])
		.execute()
		.catch(() => undefined);
	if (states === undefined) return [];
	const counted = new Map(states.map(({ kind, state, count }) => [`${kind} ${state}`, Number(count)]));
	const samples = ["user", "system"].flatMap((kind) =>
		["lasting", "ending_soon", "ended"].map((state) => sample(counted.get(`${kind} ${state}`) ?? 0, { kind, state })),
	);
	return [
		gauge(
			"spanward_api_keys",
			"API keys by kind and expiry: none or later, within 14 days, or past, which are refused.",
			samples,
		),
	];
}
