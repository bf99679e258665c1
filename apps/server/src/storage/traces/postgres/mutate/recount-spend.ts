import type pg from "pg";
import type { ClientBase } from "pg";
import { withTransaction } from "#storage/postgres/pool-connection.ts";
import { isConflict, toStorageError } from "#storage/postgres/storage-errors.ts";
import { NODE_COLUMNS, type NodeRow, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import { QUARTER_MICROS, SpendChanges } from "#storage/traces/totals/spend-changes.ts";
import { isNothing, SPEND_ROW_COLUMNS, type SpendRow, takeStored } from "#storage/traces/totals/spend-recount.ts";
import { inOneView } from "../read/query.ts";
import { HOUR_SLOTS } from "../write/hour-rows.ts";
import { addSpend } from "../write/spend-rows.ts";

const PAGE = 10_000;
const MOST_TRIES = 5;
/** Corrections are rows of their own, which no writer changes. */
const SLOT = HOUR_SLOTS;

/**
 * One correction at a time, of what is committed: the lock makes no writer wait, and whoever writes adds to other rows. It is
 * taken before the snapshot, as `read/query.ts` says.
 */
const BEGIN = `begin isolation level repeatable read;
	set local enable_sort = off;
	set local enable_seqscan = off;
	lock table only spans, spans_default in access share mode;
	lock table spend in share update exclusive mode`;

/** Whether the ledger says of a quarter what its spans give. @throws StorageUnavailable */
export async function isSpendRight(pool: pg.Pool, projectId: number, quarter: number): Promise<boolean> {
	const left = await inOneView(pool, (client) => differenceIn(client, projectId, quarter));
	return left.list().every(isNothing);
}

/** Adds to the ledger what it lacks of a quarter. @throws StorageUnavailable */
export async function correctSpend(pool: pg.Pool, projectId: number, quarter: number): Promise<void> {
	for (let tries = 1; ; tries += 1)
		try {
			return await withTransaction(pool, BEGIN, async (client) => {
				await addSpend(client, await differenceIn(client, projectId, quarter), SLOT);
			});
		} catch (error) {
			if (!isConflict(error) || tries === MOST_TRIES) throw toStorageError(error);
		}
}

/** Spans of a trace that is being deleted count until they are gone. @param client in one snapshot */
async function differenceIn(client: ClientBase, projectId: number, quarter: number): Promise<SpendChanges> {
	const left = new SpendChanges();
	const [from, to] = [quarter * QUARTER_MICROS, (quarter + 1) * QUARTER_MICROS];
	for (let after = { start: from, id: 0 }; ; ) {
		const { rows } = await client.query<NodeRow & { readonly trace_user: string | null }>(
			`select ${NODE_COLUMNS}, (select user_id from traces where traces.id = spans.trace_row_id) as trace_user
			from spans where project_id = $1 and start_micros >= $2 and start_micros < $3
				and (start_micros, id) > ($2::bigint, $4::bigint)
			order by start_micros, id limit ${PAGE}`,
			[projectId, after.start, to, after.id],
		);
		for (const row of rows) left.addSpan(projectId, nodeOfRow(row), row.trace_user, 1);
		const last = rows.at(-1);
		if (last === undefined || rows.length < PAGE) break;
		after = { start: last.start_micros, id: last.id };
	}
	const { rows: ledger } = await client.query<SpendRow>(
		`select ${SPEND_ROW_COLUMNS} from spend where project_id = $1 and quarter = $2`,
		[projectId, quarter],
	);
	takeStored(left, projectId, ledger);
	return left;
}
