import { setImmediate as untilOthersRan } from "node:timers/promises";
import type pg from "pg";
import type { ClientBase } from "pg";
import { withTransaction } from "#storage/postgres/pool-connection.ts";
import { BitSlices } from "#storage/traces/text/bit-slices.ts";
import {
	blocksOfGroup,
	GROUP_SIZE,
	LEAST_SHARE,
	membersOf,
	numbersOfBlocks,
} from "#storage/traces/text/signature-groups.ts";
import { query } from "../read/query.ts";
import { BEGIN_WITH_BLOCKS } from "./unsigned-blocks.ts";

/** Signatures that are turned around before the event loop gets its turn: about 10 ms. */
const STEP_SIGNATURES = 256;
/** Signatures of a month and size to which none was added for so long are made a smaller group, if there are enough. */
const SETTLED_MS = 3_600_000;
const LEAST_SETTLED = 256;
/** Between two rounds through all groups, for those whose blocks are mostly deleted. */
const ROUND_MS = 6 * 3_600_000;

/** Nobody may make the partition of a new month while a group is on its way into the default partition. */
const BEGIN_TO_GROUP = "begin; lock table only block_text_groups, block_text_groups_default in row exclusive mode";

interface Waiting {
	readonly month: number;
	readonly size: number;
	readonly count: number;
}

interface Group {
	readonly id: number;
	readonly month: number;
	readonly blocks: Uint8Array;
}

export interface GrouperOptions {
	/** A multiple of eight. */
	readonly groupSize?: number;
	readonly settledMs?: number;
	readonly leastSettled?: number;
}

/**
 * Turns signatures around, a group of one month and size at a time, and dissolves groups whose blocks are mostly
 * deleted. Several processes may do so at once.
 */
export class SignatureGrouper {
	readonly #pool: pg.Pool;
	readonly #groupSize: number;
	readonly #settledMs: number;
	readonly #leastSettled: number;
	/** What was seen last of each month and size, and since when. */
	readonly #seen = new Map<string, { readonly count: number; readonly sinceMs: number }>();
	/** Groups up to this number were looked at in this round; undefined between two rounds. */
	#checked: number | undefined;
	#nextRoundAt = 0;

	/** @param pool of connections to the primary */
	constructor(
		pool: pg.Pool,
		{ groupSize = GROUP_SIZE, settledMs = SETTLED_MS, leastSettled = LEAST_SETTLED }: GrouperOptions = {},
	) {
		this.#pool = pool;
		this.#groupSize = groupSize;
		this.#settledMs = settledMs;
		this.#leastSettled = leastSettled;
	}

	/**
	 * Makes one group, if there are enough signatures of a month and size.
	 * @returns whether it made one
	 * @throws StorageUnavailable
	 */
	async makeNext(): Promise<boolean> {
		const next = await this.#findNext();
		return (
			next !== undefined && (await withTransaction(this.#pool, BEGIN_TO_GROUP, (client) => makeGroup(client, next)))
		);
	}

	/**
	 * Looks at one group, in a round through all of them.
	 * @returns whether there was one
	 * @throws StorageUnavailable
	 */
	async checkNext(): Promise<boolean> {
		if (this.#checked === undefined) {
			if (performance.now() < this.#nextRoundAt) return false;
			this.#nextRoundAt = performance.now() + ROUND_MS;
			this.#checked = 0;
			await withTransaction(this.#pool, BEGIN_WITH_BLOCKS, deleteDeadSignatures);
		}
		const [group] = await query<Group>(
			this.#pool,
			"select id, month, blocks from block_text_groups where id > ? order by id limit 1",
			[this.#checked],
		);
		this.#checked = group?.id;
		if (group !== undefined)
			await withTransaction(this.#pool, BEGIN_WITH_BLOCKS, (client) => dissolveIfDead(client, group));
		return group !== undefined;
	}

	async #findNext(): Promise<Waiting | undefined> {
		const now = performance.now();
		const waiting = await query<Waiting>(
			this.#pool,
			"select month, size, count(*) as count from block_text_signatures group by month, size",
		);
		const seen = new Map(this.#seen);
		this.#seen.clear();
		for (const { month, size, count } of waiting) {
			const key = `${month} ${size}`;
			const before = seen.get(key);
			this.#seen.set(key, before?.count === count ? before : { count, sinceMs: now });
		}
		const full = waiting.find(({ size, count }) => count >= membersOf(size, this.#groupSize));
		if (full !== undefined) return { ...full, count: membersOf(full.size, this.#groupSize) };
		return waiting.find(({ month, size, count }) => {
			const { sinceMs } = this.#seen.get(`${month} ${size}`) ?? { sinceMs: now };
			return count >= this.#leastSettled && now - sinceMs >= this.#settledMs;
		});
	}
}

/** @returns whether it made one: another process may be doing so */
async function makeGroup(client: ClientBase, { month, size, count }: Waiting): Promise<boolean> {
	const rows = await query<{ place: string; block_id: number; signature: Uint8Array }>(
		client,
		`select ctid::text as place, block_id, signature from block_text_signatures
		where month = ? and size = ? order by block_id limit ? for update skip locked`,
		[month, size, count],
	);
	if (rows.length < count) return false;
	const members = 8 * Math.ceil(count / 8);
	const slices = new BitSlices(size, members);
	const nothing = new Uint8Array(size);
	for (let first = 0; first < members; first += 8) {
		const eight = Array.from({ length: 8 }, (_, index) => rows[first + index]?.signature ?? nothing);
		slices.turn(first, eight);
		if (first % STEP_SIGNATURES === 0) await untilOthersRan();
	}
	await query(
		client,
		`insert into block_text_groups (id, month, size, members, blocks, slices)
		values (nextval('block_text_group_numbers'), ?, ?, ?, ?, ?)`,
		[month, size, members, numbersOfBlocks(rows.map((row) => row.block_id)), slices.bytes],
	);
	await query(client, "delete from block_text_signatures where ctid = any(?::tid[])", [rows.map(({ place }) => place)]);
	return true;
}

/** Deletes a group of which few blocks are left, which are signed anew. */
async function dissolveIfDead(client: ClientBase, { id, month, blocks }: Group): Promise<void> {
	const members = blocksOfGroup(blocks);
	const findLiving = "select id from blocks where id = any(?::bigint[]) and month = ?";
	if ((await query(client, findLiving, [members, month])).length >= members.length * LEAST_SHARE) return;
	// The lock makes a deletion of the block wait, which then deletes what is listed here.
	const living = await query<{ id: number }>(client, `${findLiving} order by id for key share`, [members, month]);
	const deleted = await query(client, "delete from block_text_groups where id = ? and month = ? returning id", [
		id,
		month,
	]);
	if (deleted.length === 0) return;
	await query(
		client,
		`insert into block_text_waiting (block_id, month) select block_id, ?::bigint from unnest(?::bigint[]) as block_id
		on conflict (block_id) do nothing`,
		[month, living.map((block) => block.id)],
	);
}

/** Deletes signatures of deleted blocks that are in no group. Their number is limited, so each is looked up. */
async function deleteDeadSignatures(client: ClientBase): Promise<void> {
	await query(
		client,
		`delete from block_text_signatures as own
		where not exists (select from blocks where blocks.id = own.block_id and blocks.month = own.month offset 0)`,
	);
}
