import { KEY_ENDS_SOON_MS } from "#access/auth/principals/api-key.ts";
import type { Database } from "#storage/database.ts";
import { type Family, gauge, sample } from "./exposition.ts";

/** Counts of API keys with and without expiry; empty when the database does not answer, which other metrics show. */
export async function keyFamilies({ read }: Pick<Database, "read">, nowMs: number): Promise<readonly Family[]> {
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
