import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseOpenError, nodeNames } from "#storage/clickhouse/open-errors.ts";
import { openEachShard, type Shard } from "#storage/clickhouse/shard.ts";
import { isUnfinished, noteFact, readFacts } from "../facts.ts";
import { hasSpans, isBeingCopied, lacksTraces, ofAnother } from "../installation.ts";
import type { TraceMetadata } from "../metadata/trace-metadata.ts";
import { checkTables } from "../schema.ts";
import { findDatabaseEngine } from "../topology.ts";
import { ShardHistory } from "./shard-history.ts";

/**
 * Traces that start so long after a shard was added are spread over all: other servers have learned of it by then, or take
 * no more spans.
 */
const AHEAD_MS = 180_000;

interface Listed {
	/** In the order of the settings. */
	readonly shards: readonly Shard[];
	readonly metadata: Pick<TraceMetadata, "installationId" | "shardHistory" | "noteShards" | "counters">;
	readonly settings: ClickHouseSettings;
}

interface ToCheck {
	readonly metadata: Pick<TraceMetadata, "installationId" | "shardHistory">;
	readonly settings: ClickHouseSettings;
}

/** What a shard says of itself; undefined is what it does not say, or a new one. */
interface Said {
	readonly installation: string | undefined;
	/** From 1. */
	readonly number: number | undefined;
	readonly history: ShardHistory | undefined;
}

/**
 * Makes sure, before anything is changed, that the list has no fewer shards than are known, in their order.
 * @throws ClickHouseOpenError, ClickHouseFailure
 */
export async function checkList({ metadata, settings }: ToCheck): Promise<void> {
	const recorded = (await metadata.shardHistory())?.count ?? 1;
	if (recorded > settings.shards.length) throw tooFew(recorded, settings);
	if (settings.shards.length === 1) return;
	const own = await metadata.installationId();
	const said = await Promise.all(openEachShard(settings).map((shard, index) => askUnprepared(shard, index, settings)));
	for (const [index, one] of said.entries()) expectOwn(one, index, own, settings);
	expectNoneLost(said, recorded, settings);
}

/** As `ask`, of a database that may not be there. */
async function askUnprepared(opened: Shard, index: number, settings: ClickHouseSettings): Promise<Said> {
	await using shard = opened;
	await using server = openEachShard(settings, "system")[index];
	const engine = server && (await findDatabaseEngine(server, settings.database));
	const version = engine === undefined ? undefined : (await checkTables(shard, settings)).version;
	return version === undefined ? { installation: undefined, number: undefined, history: undefined } : await ask(shard);
}

/**
 * Notes in each shard which one of which installation it is, and from when on there are more than before. Their tables are
 * there, and nobody else does it meanwhile.
 * @param aheadMs instead of three minutes
 * @returns where traces are, and are put
 * @throws ClickHouseOpenError when they are not those of this installation in their order; ClickHouseFailure
 */
export async function matchShards({ shards, metadata, settings }: Listed, aheadMs = AHEAD_MS): Promise<ShardHistory> {
	const [own, noted] = [await metadata.installationId(), await metadata.shardHistory()];
	const said = await Promise.all(shards.map(ask));
	for (const [index, one] of said.entries()) expectOwn(one, index, own, settings);
	const holdSpans = await Promise.all(
		shards.map(async (shard, index) => said[index]?.installation === undefined && (await hasSpans(shard))),
	);
	if (holdSpans.includes(true)) throw ofAnother(settings);
	const isNew = said.every(({ installation }) => installation === undefined);
	if (isNew && (await metadata.counters()).spans > 0) throw lacksTraces(settings);
	// What the shards say is right where the metadata database is a new one, or was put back from a backup.
	const known = longest([noted, ...said.map(({ history }) => history)]) ?? ShardHistory.of(1);
	if (!isNew) expectNoneLost(said, known.count, settings);
	if (!isNew && known.count > shards.length) throw tooFew(known.count, settings);
	const history = isNew ? ShardHistory.of(shards.length) : grown(known, shards.length, aheadMs);
	// In this order a start after a kill knows what is new, and completes it.
	for (const [index, shard] of shards.entries()) {
		// The one before may be the same.
		const { number, installation } = await ask(shard);
		expectOwn({ number, installation }, index, own, settings);
		if (number !== undefined) continue;
		if (installation !== undefined && index >= known.count) throw isTwice(index, settings);
		await noteFact(shard, "shard", String(index + 1));
	}
	if (noted?.format() !== history.format()) await metadata.noteShards(history);
	for (const [index, shard] of shards.entries()) {
		if (said[index]?.installation === undefined) await noteFact(shard, "installation_id", own);
		if (said[index]?.history?.format() !== history.format()) await noteFact(shard, "shards", history.format());
	}
	return history;
}

async function ask(shard: Shard): Promise<Said> {
	const facts = await readFacts(shard);
	const [number, history] = [facts.get("shard"), facts.get("shards")];
	return {
		installation: facts.get("installation_id"),
		number: number === undefined ? undefined : Number(number),
		history: history === undefined ? undefined : ShardHistory.parse(history),
	};
}

function longest(histories: readonly (ShardHistory | undefined)[]): ShardHistory | undefined {
	return histories
		.filter((history) => history !== undefined)
		.reduce<ShardHistory | undefined>((a, b) => (a === undefined || b.count >= a.count ? b : a), undefined);
}

function grown(known: ShardHistory, count: number, aheadMs: number): ShardHistory {
	if (count === known.count) return known;
	const { counts } = known;
	const fromMicros = Math.max((Date.now() + aheadMs) * 1_000, (counts.at(-1)?.fromMicros ?? 0) + 1);
	return new ShardHistory([...counts, { count, fromMicros }]);
}

function expectOwn(
	{ installation, number }: Omit<Said, "history">,
	index: number,
	own: string,
	settings: ClickHouseSettings,
): void {
	if (isUnfinished(installation)) throw isBeingCopied(settings);
	if (installation !== undefined && installation !== own) throw ofAnother(settings);
	if (number === undefined || number === index + 1) return;
	throw wrong(
		`lists ${nodesOf(index, settings)} as shard ${index + 1}, and that is shard ${number} of this installation: list the shards in the order in which they were added, new ones at the end`,
	);
}

/** Where one shard has traces, so have all that are known. */
function expectNoneLost(said: readonly Said[], known: number, settings: ClickHouseSettings): void {
	if (said.every(({ installation }) => installation === undefined)) return;
	const saysNothing = ({ installation, number }: Said) => installation === undefined && number === undefined;
	const lost = said.findIndex((one, index) => saysNothing(one) && index < known);
	if (lost === -1) return;
	throw wrong(
		`lists ${nodesOf(lost, settings)} as shard ${lost + 1}, where the traces of that shard are not: list the node that has them, put them back there from a backup, or, if there is none, run spanward adopt-clickhouse --empty, which goes on without them`,
	);
}

function tooFew(known: number, settings: ClickHouseSettings): ClickHouseOpenError {
	return wrong(
		`lists ${settings.shards.length === 1 ? "one shard" : `${settings.shards.length} shards`}, and this installation has ${known}: list all of them, separated by semicolons; with fewer, traces would be missing, and spanward copy moves them to where there are fewer`,
	);
}

function isTwice(index: number, settings: ClickHouseSettings): ClickHouseOpenError {
	return wrong(
		`lists ${nodesOf(index, settings)} as shard ${index + 1}, and that is another shard already: each shard is a ClickHouse of its own`,
	);
}

function nodesOf(index: number, { shards }: ClickHouseSettings): string {
	return nodeNames({ shards: shards.slice(index, index + 1) });
}

function wrong(text: string): ClickHouseOpenError {
	return new ClickHouseOpenError(`SERVICE_CLICKHOUSE_URL ${text}`, ["SERVICE_CLICKHOUSE_URL"]);
}
