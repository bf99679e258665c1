import { readConfig } from "../../apps/server/src/base/config.ts";
import { present } from "../../apps/server/src/base/present.ts";
import { clickHouseSettings } from "../../apps/server/src/base/settings/clickhouse.ts";
import { openSqlite } from "../../apps/server/src/storage/sqlite/open-sqlite.ts";
import { findDamage } from "../../apps/server/src/storage/traces/clickhouse/integrity/check-integrity.ts";
import { openSqliteMetadata } from "../../apps/server/src/storage/traces/clickhouse/metadata/sqlite-metadata.ts";
import { TraceShards } from "../../apps/server/src/storage/traces/clickhouse/shards/trace-shards.ts";
import { openTraceShards } from "../../apps/server/src/storage/traces/clickhouse/trace-shard.ts";
import { Reconciler } from "../../apps/server/src/storage/traces/clickhouse/upkeep/reconcile/reconciler.ts";
import {
	type DamageRepaired,
	damageRepaired,
} from "../../apps/server/src/storage/traces/clickhouse/upkeep/reconcile/repair-channel.ts";
import { repairBatches } from "../../apps/server/src/storage/traces/clickhouse/upkeep/repair.ts";
import { findLosses } from "../crash.ts";
import type { TestServer } from "../server.ts";
import type { ClickHouseUnderTest } from "./open-store.ts";

/** Each search reads every content, as no text index is asked for; {@link findLosses} reads them all anyway. */
export const SEARCHED_WORDS = 20;

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

/**
 * What is wrong behind a server that was killed and is stopped now, with its metadata in SQLite: what verify says when
 * batches left behind are repaired, and the kinds of what the reconciler repairs then.
 */
async function damageBehind({ workingDir }: TestServer, env: Readonly<Record<string, string>>) {
	const config = readConfig({ ...env, SERVICE_WORKING_DIR: workingDir });
	const settings = present(clickHouseSettings(config), "settings of ClickHouse");
	await using storage = await openSqlite(config);
	await using shards = new TraceShards(openTraceShards(settings));
	const { db, writerOptions } = storage;
	const stopped = { shards, db, metadata: openSqliteMetadata({ db, ...writerOptions }) };
	await using turns = stopped.metadata.openTurns();
	await repairBatches({ shards, db, turns }, 0);
	return [...(await damageIn(stopped)), ...(await reconcile(stopped))];
}

/**
 * Stops a server with its metadata in SQLite, repairs what it has left behind, as it would itself after half a minute,
 * and starts it again. @returns what was damaged, and what is lost of what it had acknowledged
 */
export async function lossesBehind(
	server: TestServer,
	env: Readonly<Record<string, string>>,
	acknowledged: ReadonlySet<string>,
): Promise<string[]> {
	await server.stop();
	const damage = await damageBehind(server, env);
	await server.start();
	return [...damage, ...(await findLosses(server, acknowledged, SEARCHED_WORDS))];
}

/** The kinds of what the reconciler repairs. */
export async function reconcile({
	shards,
	db,
	metadata,
}: Pick<ClickHouseUnderTest, "shards" | "db" | "metadata">): Promise<string[]> {
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
