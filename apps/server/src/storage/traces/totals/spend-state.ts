import { QUARTERS_OF_HOUR } from "./spend-changes.ts";

/** Row of `state` while what was spent by spans from before the upgrade is still to be counted. */
export const SPEND_BACKFILL = "spend_backfill";
/** Row of `state` that says before which quarter nothing is kept any more. */
export const SPEND_KEPT_FROM = "spend_kept_from";

/** The statement whose rows {@link spendStateOf} reads. */
export const SELECT_SPEND_STATE = `select name, value from state where name in ('${SPEND_BACKFILL}', '${SPEND_KEPT_FROM}')`;

/** The hour and project that were counted last. Hours are counted from the latest one back, in each the projects by number. */
export interface BackfillPosition {
	readonly hour: number;
	readonly project: number;
}

export interface SpendState {
	/** Whether spans from before the upgrade are still to be counted. */
	readonly isFilling: boolean;
	/** Undefined where none was counted yet, and afterwards. */
	readonly position: BackfillPosition | undefined;
	/** The first quarter that is kept; those before it may be incomplete. */
	readonly keptFrom: number;
}

/** What the ledger has of the stored spans. */
export function spendStateOf(rows: readonly { readonly name: string; readonly value: string }[]): SpendState {
	const textOf = (wanted: string) => rows.find(({ name }) => name === wanted)?.value;
	const [backfill, keptFrom] = [textOf(SPEND_BACKFILL), textOf(SPEND_KEPT_FROM)];
	const position: Partial<BackfillPosition> = JSON.parse(backfill ?? "{}");
	const first: { readonly quarter?: number } = JSON.parse(keptFrom ?? "{}");
	const { hour, project } = position;
	return {
		isFilling: backfill !== undefined,
		position: hour === undefined || project === undefined ? undefined : { hour, project },
		keptFrom: first.quarter ?? Number.NEGATIVE_INFINITY,
	};
}

/** Whether the ledger is to say of a quarter what its stored spans have spent. */
export function isComplete({ isFilling, keptFrom }: SpendState, quarter: number): boolean {
	return !isFilling && quarter >= keptFrom;
}

/** The quarters of an hour. */
export function quartersOf(hour: number): number[] {
	return Array.from({ length: QUARTERS_OF_HOUR }, (_, index) => hour * QUARTERS_OF_HOUR + index);
}
