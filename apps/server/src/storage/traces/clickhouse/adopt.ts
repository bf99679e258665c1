import { randomUUID } from "node:crypto";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { present } from "#base/present.ts";
import { nodeNames } from "#storage/clickhouse/open-errors.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Database } from "#storage/database.ts";
import { isUnfinished, noteFact, readFact } from "./facts.ts";
import { hasSpans, isBeingCopied, listProjects, type StoredProject } from "./installation.ts";
import { type CountedReferences, countReferences, forgetReferences } from "./metadata/forget-references.ts";
import { countSpendAnew, keepAllSpent } from "./metadata/spend-rows.ts";
import type { TraceMetadata } from "./metadata/trace-metadata.ts";
import { selectFinal } from "./read/query.ts";
import type { TraceShards } from "./shards/trace-shards.ts";

/** Why traces are not taken over: a sentence for the operator. */
export class NotAdopted extends Error {
	override readonly name = "NotAdopted";
}

interface Parts {
	/** Their tables are there. */
	readonly shards: TraceShards;
	readonly metadata: TraceMetadata;
	readonly settings: ClickHouseSettings;
}

/** Traces of an installation whose metadata database is lost. */
export interface AdoptableTraces {
	readonly spans: number;
	readonly projects: readonly StoredProject[];
	/** The highest row number of an API key that a span came with, 0 for none. */
	readonly lastKey: number;
}

/**
 * The traces that {@link adoptTraces} would take over.
 * @param force also where this installation has stored traces itself
 * @returns undefined when they are those of this installation already
 * @throws NotAdopted when there are none, or they would meet row numbers of others; ClickHouseOpenError while they are
 * being copied there; ClickHouseFailure
 */
export async function findAdoptable({ shards, metadata, settings }: Parts, force: boolean) {
	const place = placeOf(settings);
	const [own, theirs] = [await metadata.installationId(), await installationsOf(shards)];
	if (theirs.some(isUnfinished)) throw isBeingCopied(settings);
	if (theirs.every((their) => their === own)) return undefined;
	if (theirs.every((their) => their === undefined) && !(await hasSpans(shards)))
		throw new NotAdopted(`${place} has no traces: there is nothing to take over`);
	const { spans } = await metadata.counters();
	if (spans > 0 && !force)
		throw new NotAdopted(
			`this installation has stored traces itself, and what refers to them would refer to those in ${place}: take these over with an empty database (SERVICE_WORKING_DIR, SERVICE_SQL_DATABASE_SCHEMA), or use --force if this one was put back from a backup of that installation`,
		);
	return await countTraces(shards);
}

/** What each shard says; a new one says nothing. */
function installationsOf(shards: TraceShards): Promise<(string | undefined)[]> {
	return shards.onEach(async (shard) => [await readFact(shard, "installation_id")]);
}

async function countTraces(shards: TraceShards): Promise<AdoptableTraces> {
	const rows = await selectFinal(shards, "select count() as count, ifNull(max(api_key_id), 0) as last_key from spans", {
		count: types.Count,
		last_key: types.Integer,
	});
	return {
		spans: rows.reduce((sum, { count }) => sum + count, 0),
		projects: await listProjects(shards),
		lastKey: Math.max(0, ...rows.map((row) => row.last_key)),
	};
}

/**
 * Makes the traces in ClickHouse those of this installation; the one that they were of can start no more. Where this one
 * is new, its projects get the names that the traces' projects have, and keys that are made get numbers that no span has. The next start raises row numbers, makes the
 * projects that are missing, and counts what was spent. After a kill it can be called again.
 * @throws ClickHouseFailure, StorageUnavailable
 */
export async function adoptTraces({ shards, metadata }: Parts, { projects, lastKey }: AdoptableTraces): Promise<void> {
	const { spans } = await metadata.counters();
	if (spans === 0) await renameProjects(metadata.db, projects);
	if (lastKey > 0) await metadata.raiseKeyNumbers(lastKey);
	await metadata.db.write(countSpendAnew);
	await noteInstallation(shards, metadata);
}

async function noteInstallation(shards: TraceShards, metadata: TraceMetadata): Promise<void> {
	const id = await metadata.installationId();
	for (const shard of shards.list) await noteFact(shard, "installation_id", id);
}

/** Gives projects the names that ClickHouse has for their row numbers; others with such a name get another one. */
async function renameProjects(db: Database, stored: readonly StoredProject[]): Promise<void> {
	const owners = new Map(stored.map(({ id, name }) => [name, id]));
	const wanted = new Map(stored.map(({ id, name }) => [id, name]));
	await db.write(async (transaction) => {
		const rename = (id: number, name: string) =>
			transaction.updateTable("projects").set({ name }).where("id", "=", id).execute();
		const own = await transaction.selectFrom("projects").select(["id", "name"]).execute();
		const renamed = own.flatMap(({ id, name }) => {
			const owner = owners.get(wanted.get(id) ?? name) ?? id;
			const should = owner === id ? (wanted.get(id) ?? name) : `${wanted.get(id) ?? name} (${id})`;
			return should === name ? [] : [{ id, should }];
		});
		// No two may have the same name in between.
		for (const { id } of renamed) await rename(id, randomUUID());
		for (const { id, should } of renamed) await rename(id, should);
	});
}

/**
 * What {@link goOnWithout} would delete of the metadata database.
 * @throws NotAdopted when there are traces in ClickHouse; ClickHouseOpenError while they are being copied there;
 * ClickHouseFailure
 */
export async function findForgettable({ shards, metadata, settings }: Parts): Promise<CountedReferences> {
	if (await hasSpans(shards)) throw new NotAdopted(`${placeOf(settings)} has traces: it is not empty`);
	const [own, theirs] = [await metadata.installationId(), await installationsOf(shards)];
	if (theirs.some(isUnfinished)) throw isBeingCopied(settings);
	if (theirs.some((their) => their !== undefined && their !== own))
		throw new NotAdopted(
			`${placeOf(settings)} is that of another installation: name another one in SERVICE_CLICKHOUSE_DATABASE`,
		);
	return await countReferences(metadata.db);
}

/**
 * Makes the empty ClickHouse that of this installation, whose traces were elsewhere, and deletes what refers to them.
 * After a kill it can be called again.
 * @throws ClickHouseFailure, StorageUnavailable
 */
export async function goOnWithout({ shards, metadata }: Parts): Promise<void> {
	await forgetReferences(metadata.db);
	await metadata.db.write(keepAllSpent);
	await noteInstallation(shards, metadata);
}

/**
 * The shards, by their numbers from 1, that are empty while others have the traces of this installation.
 * @throws ClickHouseFailure
 */
export async function findLostShards({ shards, metadata }: Parts): Promise<readonly number[]> {
	const [own, theirs] = [await metadata.installationId(), await installationsOf(shards)];
	if (!theirs.includes(own) || theirs.some((their) => their !== undefined && their !== own)) return [];
	const lost: number[] = [];
	for (const [index, shard] of shards.list.entries())
		if (theirs[index] === undefined && !(await hasSpans(shard))) lost.push(index + 1);
	return lost;
}

/**
 * Makes empty shards those of this installation whose traces were lost. What refers to these traces is found and deleted
 * by the reconciler. @throws ClickHouseFailure
 */
export async function goOnWithoutShards({ shards, metadata }: Parts, lost: readonly number[]): Promise<void> {
	const id = await metadata.installationId();
	await metadata.db.write(countSpendAnew);
	for (const number of lost) {
		const shard = present(shards.list[number - 1], "a shard");
		await noteFact(shard, "shard", String(number));
		await noteFact(shard, "installation_id", id);
	}
}

function placeOf(settings: ClickHouseSettings): string {
	return `the database ${settings.database} of ClickHouse at ${nodeNames(settings)}`;
}
