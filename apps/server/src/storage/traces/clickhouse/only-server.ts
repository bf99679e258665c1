import { hash, randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseOpenError, nodeNames } from "#storage/clickhouse/open-errors.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { noteFact, readFact } from "./facts.ts";

const RENEW_EVERY_MS = 10_000;
/** How often a server may fail to renew until another one may take its place. */
const MISSED = 2.5;
const LOOKS = 10;
/** Who stops does not wait for long: others find out by themselves. */
const RELEASE_WITHIN_MS = 2_000;

/**
 * A server with SQLite is the only one on its folder, and two copies of a folder are one installation. So the server that
 * uses the traces says so in ClickHouse, as `<folder> <server> <how often>`, for as long as it does.
 */
export interface Claim {
	/** Tells folders apart, and machines. */
	readonly folder: string;
	/** Tells those apart that are copies of a machine. */
	readonly server: string;
}

interface Claimed {
	/** The first one. */
	readonly shard: Shard;
	readonly claim: Claim;
	/** Gets a sentence about a server that has to be waited for, or that has taken the place of this one. */
	readonly tell: (sentence: string) => void;
	/** 10 s when absent. */
	readonly everyMs?: number;
}

/** @param databaseFile whose folder nobody else uses on this machine */
export function claimOf(databaseFile: string): Claim {
	const { dev, ino } = statSync(dirname(databaseFile));
	return { folder: hash("sha256", `${hostname()} ${dev} ${ino}`).slice(0, 16), server: randomUUID() };
}

/**
 * Makes this server the one that uses the traces. One that was killed is followed at once in its folder; elsewhere when it
 * has been silent for 25 s.
 * @throws ClickHouseOpenError while another one uses them; ClickHouseFailure
 */
export async function claimTraces(
	{ shard, claim, tell, everyMs = RENEW_EVERY_MS }: Claimed,
	settings: ClickHouseSettings,
): Promise<void> {
	let seen = await readFact(shard, "server");
	if (isOfOther(seen, claim)) {
		const waitMs = everyMs * MISSED;
		tell(
			`Another server has used the traces in ClickHouse: waiting for ${waitMs / 1_000} s to see whether it still does`,
		);
		const deadline = performance.now() + waitMs;
		while (isOfOther(seen, claim) && performance.now() < deadline) {
			await sleep(everyMs / LOOKS);
			const now = await readFact(shard, "server");
			if (now !== seen && isOfOther(now, claim)) throw inUse(settings);
			seen = now;
		}
	}
	await note(shard, claim, 0);
	// Of two that claim them in the same moment, one is read.
	if ((await readFact(shard, "server")) !== textOf(claim, 0)) throw inUse(settings);
}

/**
 * Renews the claim until it is disposed of, which gives it up.
 * @param lose called once when another server has claimed the traces: this one must not use them any more
 */
export function keepClaim(
	{ shard, claim, tell, everyMs = RENEW_EVERY_MS }: Claimed,
	lose: () => void,
): AsyncDisposable {
	let count = 0;
	let isLost = false;
	let renewing: Promise<void> | undefined;
	const renew = async () => {
		if (!(await readFact(shard, "server"))?.includes(claim.server)) {
			isLost = true;
			clearInterval(timer);
			tell("Another server, with a copy of SERVICE_WORKING_DIR, uses the traces in ClickHouse: this one stops");
			lose();
			return;
		}
		count += 1;
		await note(shard, claim, count);
	};
	const timer = setInterval(() => {
		renewing ??= unlessAway(renew()).finally(() => {
			renewing = undefined;
		});
	}, everyMs).unref();
	return {
		async [Symbol.asyncDispose]() {
			clearInterval(timer);
			await renewing;
			if (isLost) return;
			const late = sleep(RELEASE_WITHIN_MS, undefined, { ref: false });
			await Promise.race([unlessAway(noteFact(shard, "server", "")), late]);
		},
	};
}

function note(shard: Shard, claim: Claim, count: number): Promise<void> {
	return noteFact(shard, "server", textOf(claim, count));
}

function textOf({ folder, server }: Claim, count: number): string {
	return `${folder} ${server} ${count}`;
}

function isOfOther(noted: string | undefined, { folder }: Claim): boolean {
	return noted !== undefined && noted !== "" && !noted.startsWith(folder);
}

/** Nobody else can claim the traces either while ClickHouse is away. */
async function unlessAway(work: Promise<void>): Promise<void> {
	try {
		await work;
	} catch (error) {
		if (!(error instanceof StorageUnavailable)) throw error;
	}
}

function inUse({ database, ...settings }: ClickHouseSettings): ClickHouseOpenError {
	return new ClickHouseOpenError(
		`another server, with a copy of SERVICE_WORKING_DIR, uses the traces in the database ${database} of ClickHouse at ${nodeNames(settings)}: stop it; several servers need PostgreSQL for everything else (SERVICE_SQL_DATABASE_URL), and a copy needs a database of its own (SERVICE_CLICKHOUSE_DATABASE)`,
		["SERVICE_WORKING_DIR", "SERVICE_CLICKHOUSE_DATABASE"],
	);
}
