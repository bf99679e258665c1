import type { Selectable, Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { ModelError, ModelErrorCode } from "../model-error.ts";

const FIVE_MINUTES_MICROS = 5 * 60_000_000;
/** The provider refuses every call, whatever it asks. */
const REFUSING: ReadonlySet<string> = new Set<ModelErrorCode>(["authentication", "quota"]);
/** Nothing answers; for a while that is nothing unusual. */
const SILENT: ReadonlySet<string> = new Set<ModelErrorCode>([
	...(["unreachable", "timeout", "proxy", "untrusted_certificate", "forbidden_address"] as const),
]);

type FailingColumns = Pick<
	Selectable<Tables["model_connections"]>,
	"failing_code" | "failing_reason" | "failing_since" | "failing_tried_at"
>;

/** Whether a connection is failing: refused, or without any answer for five minutes. */
export function isFailing({ failing_code: code, failing_since: since }: FailingColumns, nowMicros: number): boolean {
	if (code === null || since === null) return false;
	return !SILENT.has(code) || nowMicros - since >= FIVE_MINUTES_MICROS;
}

/** Whether a failing connection may be tried again with one call. */
export function isDue({ failing_tried_at: triedAt }: FailingColumns, nowMicros: number): boolean {
	return triedAt === null || nowMicros - triedAt >= FIVE_MINUTES_MICROS;
}

export async function noteTry(transaction: Transaction<Tables>, id: number, nowMicros: number): Promise<void> {
	await transaction
		.updateTable("model_connections")
		.set({ failing_tried_at: nowMicros })
		.where("id", "=", id)
		.execute();
}

/** Notes what a call found out about its connection; undefined for one that succeeded. */
export async function noteOutcome(
	transaction: Transaction<Tables>,
	id: number,
	error: ModelError | undefined,
	nowMicros: number,
): Promise<void> {
	const change = changeBy(error, nowMicros);
	if (change === undefined) return;
	const update = transaction.updateTable("model_connections").where("id", "=", id);
	if (change === "works") await clear(update.where("failing_code", "is not", null));
	else if (change === "answers") await clear(update.where("failing_code", "in", [...SILENT]));
	else {
		// The time since when it fails stays that of the first failure of its kind.
		const alike = REFUSING.has(change.failing_code) ? [change.failing_code] : [...SILENT];
		const { numUpdatedRows } = await update.where("failing_code", "in", alike).set(change).executeTakeFirstOrThrow();
		if (numUpdatedRows > 0n) return;
		const isStronger = REFUSING.has(change.failing_code) ? update : update.where("failing_code", "is", null);
		await isStronger.set({ ...change, failing_since: nowMicros }).execute();
	}

	async function clear(those: typeof update): Promise<void> {
		const nothing = { failing_code: null, failing_reason: null, failing_since: null, failing_tried_at: null };
		await those.set(nothing).execute();
	}
}

function changeBy(error: ModelError | undefined, nowMicros: number) {
	if (error === undefined) return "works";
	const { code, message, status } = error;
	if (REFUSING.has(code) || (SILENT.has(code) && status === undefined)) {
		return { failing_code: code, failing_reason: message, failing_tried_at: nowMicros };
	}
	return status === undefined ? undefined : "answers";
}
