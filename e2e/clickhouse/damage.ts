import { findDamage } from "../../apps/server/src/storage/traces/clickhouse/integrity/check-integrity.ts";
import { Reconciler } from "../../apps/server/src/storage/traces/clickhouse/upkeep/reconcile/reconciler.ts";
import {
	type DamageRepaired,
	damageRepaired,
} from "../../apps/server/src/storage/traces/clickhouse/upkeep/reconcile/repair-channel.ts";
import type { ClickHouseUnderTest } from "./open-store.ts";

/** What verify would say is wrong. @param leaveOut told of what changes all the time */
export async function damageIn(
	{ shards, db }: Pick<ClickHouseUnderTest, "shards" | "db">,
	leaveOut?: () => void,
): Promise<string[]> {
	const checked = { shards, db: db.read, ...(leaveOut === undefined ? {} : { leaveOut }) };
	const wrong: string[] = [];
	for await (const found of findDamage(checked)) if (found.wrong !== undefined) wrong.push(found.wrong);
	return wrong;
}

/** The kinds of what the reconciler repairs. */
export async function reconcile({ shards, db, metadata }: ClickHouseUnderTest): Promise<string[]> {
	const kinds: string[] = [];
	const note = (message: unknown) => kinds.push((message as DamageRepaired).kind);
	damageRepaired.subscribe(note);
	try {
		const reconciler = new Reconciler({ shards, db, metadata, tell: () => undefined });
		await reconciler.run(new AbortController().signal);
	} finally {
		damageRepaired.unsubscribe(note);
	}
	return kinds;
}
