import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseNode } from "#storage/clickhouse/node.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import { openEachShard, shardUrls } from "#storage/clickhouse/shard.ts";
import { readFact } from "#storage/traces/clickhouse/facts.ts";
import { type BackupPlace, placeSql } from "./backup-place.ts";

/** Between two questions how far ClickHouse is. */
const LOOK_EVERY_MS = 1_000;
const STATE = { status: types.Text, error: types.Text, bytes: types.Count } as const;

/** ClickHouse did not do it, or the traces are others; the message is a sentence without its full stop. */
export class TraceBackupFailed extends Error {
	override readonly name = "TraceBackupFailed";
}

export interface TraceBackup {
	readonly settings: ClickHouseSettings;
	readonly place: BackupPlace;
	/** Below the place, of each shard. */
	readonly paths: readonly string[];
	/** Told how many bytes ClickHouse has written or read so far. */
	readonly onProgress: (shard: number, bytes: number) => void;
}

/**
 * Has ClickHouse back up the database of the settings on each shard, one after the other, and waits for it.
 * @throws TraceBackupFailed; ClickHouseFailure, when the backup may go on
 */
export async function backUpTraces(backup: TraceBackup): Promise<void> {
	await onEachShard(backup, async (node, where, shard) => {
		const statement = `backup database ${backup.settings.database} to ${where}`;
		await run(node, statement, "BACKUP_CREATED", (bytes) => backup.onProgress(shard, bytes));
	});
}

/**
 * Has ClickHouse restore them into the database of the settings, which has no tables, and waits for it.
 * @param from the database that was backed up
 * @throws TraceBackupFailed; ClickHouseFailure, when it may go on
 */
export async function restoreTraces(backup: TraceBackup, from: string): Promise<void> {
	await onEachShard(backup, async (node, where, shard) => {
		const statement = restoreStatement(backup.settings, from, where);
		await run(node, statement, "RESTORED", (bytes) => backup.onProgress(shard, bytes));
	});
}

/** @param where as {@link placeSql} writes it */
export function restoreStatement(
	{ database, cluster }: Pick<ClickHouseSettings, "cluster" | "database">,
	from: string,
	where: string,
): string {
	const as = from === database ? "" : ` as ${database}`;
	return `restore database ${from}${as}${cluster === undefined ? "" : ` on cluster \`${cluster}\``} from ${where}`;
}

/** @throws TraceBackupFailed when any shard has tables in the database of the settings */
export async function expectNoTables(settings: ClickHouseSettings): Promise<void> {
	for (const [index, opened] of openEachShard(settings, "system").entries()) {
		await using server = opened;
		const [row] = await server.select(
			"select count() as tables from system.tables where database = {database:String}",
			{ tables: types.Count },
			{ params: { database: settings.database } },
		);
		if ((row?.tables ?? 0) > 0)
			throw new TraceBackupFailed(
				`the database ${settings.database} on shard ${index + 1} has tables: drop it (drop database ${settings.database} sync), or name another one in SERVICE_CLICKHOUSE_DATABASE`,
			);
	}
}

/** @throws TraceBackupFailed when a shard has the traces of another installation than this one */
export async function expectInstallation(settings: ClickHouseSettings, installationId: string): Promise<void> {
	for (const [index, opened] of openEachShard(settings).entries()) {
		await using shard = opened;
		if ((await readFact(shard, "installation_id")) === installationId) continue;
		throw new TraceBackupFailed(
			`the database ${settings.database} on shard ${index + 1} does not have the traces of this installation`,
		);
	}
}

async function onEachShard(
	{ settings, place, paths }: TraceBackup,
	work: (node: ClickHouseNode, where: string, shard: number) => Promise<void>,
): Promise<void> {
	for (const [index, urls] of shardUrls(settings).entries()) {
		const path = paths[index];
		if (path === undefined) throw new Error(`shard ${index + 1} has no path`);
		await using node = await firstThatAnswers(urls, settings);
		await work(node, placeSql(place, path), index + 1);
	}
}

/** Of what it does, only the node itself knows how far it is. */
async function firstThatAnswers(urls: readonly URL[], settings: ClickHouseSettings): Promise<ClickHouseNode> {
	for (const url of urls) {
		const node = new ClickHouseNode(url, { ...settings, database: "system" });
		if (await node.answers()) return node;
		await node[Symbol.asyncDispose]();
	}
	throw new TraceBackupFailed(`no ClickHouse answers at ${urls.map(({ host }) => host).join(", ")}`);
}

async function run(
	node: ClickHouseNode,
	statement: string,
	done: string,
	onBytes: (bytes: number) => void,
): Promise<void> {
	const id = randomUUID();
	await node.execute(`${statement} settings id = '${id}' async`);
	for (;;) {
		const [state] = await node.select(
			"select toString(status) as status, error, total_size as bytes from system.backups where id = {id:String}",
			STATE,
			{ params: { id } },
		);
		if (state === undefined)
			throw new TraceBackupFailed(`ClickHouse at ${node.name} does not know of it any more: has it been restarted?`);
		onBytes(state.bytes);
		if (state.status === done) return;
		if (/FAILED|CANCELLED/.test(state.status))
			throw new TraceBackupFailed(
				`ClickHouse at ${node.name} says ${state.status}${nameOf(state.error)}; system.backups has more under the id ${id}`,
			);
		await sleep(LOOK_EVERY_MS);
	}
}

/** Code and name of an error, without its text, which may quote what is not to be shown. */
function nameOf(error: string): string {
	const code = /^Code: (\d+)\./.exec(error)?.[1];
	const name = /\(([A-Z][A-Z0-9_]+)\)/.exec(error)?.[1];
	return code === undefined ? "" : ` with code ${code}${name === undefined ? "" : `, ${name}`}`;
}
