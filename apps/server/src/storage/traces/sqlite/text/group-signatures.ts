import type { DatabaseSync, StatementSync } from "node:sqlite";
import { findRow, listRows } from "#storage/sqlite/rows.ts";
import { BitSlices } from "#storage/traces/text/bit-slices.ts";
import {
	blocksOfGroup,
	GROUP_SIZE,
	LEAST_SHARE,
	membersOf,
	numbersOfBlocks,
} from "#storage/traces/text/signature-groups.ts";

/** Slices per transaction: a mebibyte, about 5 ms under the write lock. */
const STEP_SLICES = 2_048;
/** Signatures that are turned around in one step: about 10 ms without a lock. */
const STEP_SIGNATURES = 256;
/** Between two rounds through all groups, while blocks are deleted. */
const ROUND_MS = 600_000;

interface Draft {
	readonly size: number;
	readonly slices: BitSlices;
	/** Signatures that are turned around. */
	turned: number;
	/** Numbers of the rows that the group replaces. */
	readonly replaced: readonly number[];
	readonly blocks: readonly number[];
	/** Undefined before the first step. */
	group: number | undefined;
	written: number;
}

/**
 * Turns signatures around, a group of one size at a time, in steps; a group is used, and its signatures are deleted,
 * once it is complete.
 */
export class SignatureGrouper {
	readonly #db: DatabaseSync;
	readonly #groupSize: number;
	readonly #insertSlice: StatementSync;
	#draft: Draft | undefined;
	/** Groups up to this number had enough blocks when they were last looked at. */
	#checked = 0;
	#mayBeDead = true;
	#nextRoundAt = 0;

	/** @param groupSize a multiple of eight */
	constructor(db: DatabaseSync, groupSize = GROUP_SIZE) {
		this.#db = db;
		this.#groupSize = groupSize;
		this.#insertSlice = db.prepare("insert into block_text_slices (group_id, bit, slice) values (?, ?, ?)");
	}

	/** Whether a group is being made: its signatures must not be deleted meanwhile. */
	get isGrouping(): boolean {
		return this.#draft !== undefined;
	}

	/** Turns the next signatures around, without a lock. @returns whether there were any */
	turn(): boolean {
		this.#draft ??= this.#newDraft();
		const draft = this.#draft;
		if (draft === undefined || draft.turned === draft.replaced.length) return false;
		const numbers = draft.replaced.slice(draft.turned, draft.turned + STEP_SIGNATURES);
		const rows = listRows<{ signature: Uint8Array }>(
			this.#db.prepare(
				"select signature from json_each(?) as wanted join block_text_signatures as own on own.id = wanted.value order by wanted.key",
			),
			JSON.stringify(numbers),
		);
		const signatures = rows.map(({ signature }) => signature);
		for (let first = 0; first < signatures.length; first += 8)
			draft.slices.turn(draft.turned + first, signatures.slice(first, first + 8));
		draft.turned += numbers.length;
		return true;
	}

	/** Whether a group is turned around and has to be written. */
	prepare(): boolean {
		return this.#draft !== undefined && this.#draft.turned === this.#draft.replaced.length;
	}

	/** Writes the next part. Call it within a transaction. */
	write(): void {
		const draft = this.#draft;
		if (draft === undefined) return;
		const { size, slices, blocks, replaced } = draft;
		draft.group ??= this.#insertGroup(size, blocks);
		const end = Math.min(draft.written + STEP_SLICES, slices.count);
		for (; draft.written < end; draft.written++)
			this.#insertSlice.run(draft.group, draft.written, slices.slice(draft.written));
		if (draft.written < slices.count) return;
		this.#db.prepare("update block_text_groups set is_complete = 1 where id = ?").run(draft.group);
		this.#db
			.prepare("delete from block_text_signatures where id in (select value from json_each(?))")
			.run(JSON.stringify(replaced));
		this.#draft = undefined;
	}

	/** Discards what was prepared, after writing failed; the group is started over. */
	abandon(): void {
		this.#draft = undefined;
	}

	/** Blocks were deleted: groups may have too few left. */
	noteDeletion(): void {
		this.#mayBeDead = true;
	}

	/**
	 * Looks at one group.
	 * @returns its number if it has to go, as it was not finished or its blocks are mostly deleted; `kept` if it stays;
	 * undefined when there is no group to look at
	 */
	checkNext(): number | "kept" | undefined {
		const unfinished = findRow<{ id: number }>(
			this.#db.prepare("select id from block_text_groups where is_complete = 0 and id is not ? limit 1"),
			this.#draft?.group ?? null,
		);
		if (unfinished !== undefined) return unfinished.id;
		if (this.#mayBeDead && performance.now() >= this.#nextRoundAt) {
			this.#mayBeDead = false;
			this.#checked = 0;
			this.#nextRoundAt = performance.now() + ROUND_MS;
		}
		const next = this.#db.prepare(
			"select id, blocks from block_text_groups where id > ? and is_complete = 1 order by id limit 1",
		);
		const group = findRow<{ id: number; blocks: Uint8Array }>(next, this.#checked);
		if (group === undefined) return undefined;
		const blocks = blocksOfGroup(group.blocks);
		if (this.#living(blocks).length < blocks.length * LEAST_SHARE) return group.id;
		this.#checked = group.id;
		return "kept";
	}

	/**
	 * Deletes a part of a group; blocks of it that still exist are signed anew. Call it within a transaction, with the
	 * result of `checkNext`.
	 */
	dropDead(group: number): void {
		const row = findRow<{ blocks: Uint8Array; is_complete: number }>(
			this.#db.prepare("select blocks, is_complete from block_text_groups where id = ?"),
			group,
		);
		if (row?.is_complete === 1) {
			const unsign = this.#db.prepare(
				"insert or ignore into block_text_unsigned (first_block, last_block) values (?1, ?1)",
			);
			for (const block of this.#living(blocksOfGroup(row.blocks))) unsign.run(block);
			this.#db.prepare("update block_text_groups set is_complete = 0 where id = ?").run(group);
		}
		const { changes } = this.#db
			.prepare(
				`delete from block_text_slices where group_id = ?1 and bit < ?2 + (
					select coalesce(min(bit), 0) from block_text_slices where group_id = ?1)`,
			)
			.run(group, STEP_SLICES);
		if (changes === 0) this.#db.prepare("delete from block_text_groups where id = ?").run(group);
	}

	#living(blocks: readonly number[]): number[] {
		const rows = listRows<{ id: number }>(
			this.#db.prepare("select id from blocks where id in (select value from json_each(?))"),
			JSON.stringify(blocks),
		);
		return rows.map(({ id }) => id);
	}

	#insertGroup(size: number, blocks: readonly number[]): number {
		const insert = this.#db.prepare("insert into block_text_groups (size, blocks, is_complete) values (?, ?, 0)");
		return Number(insert.run(size, numbersOfBlocks(blocks)).lastInsertRowid);
	}

	#newDraft(): Draft | undefined {
		const sizes = listRows<{ size: number; count: number }>(
			this.#db.prepare("select size, count(*) as count from block_text_signatures group by size"),
		);
		const full = sizes.find(({ size, count }) => count >= membersOf(size, this.#groupSize));
		if (full === undefined) return undefined;
		const rows = listRows<{ id: number; block_id: number }>(
			this.#db.prepare("select id, block_id from block_text_signatures where size = ? order by id limit ?"),
			full.size,
			membersOf(full.size, this.#groupSize),
		);
		return {
			size: full.size,
			slices: new BitSlices(full.size, rows.length),
			turned: 0,
			replaced: rows.map(({ id }) => id),
			blocks: rows.map(({ block_id }) => block_id),
			group: undefined,
			written: 0,
		};
	}
}
