import { exactPico } from "./cost-pico.ts";
import { type SpendChange, SpendChanges } from "./spend-changes.ts";

/** What the ledger says that stored spans have spent; rows of different slots may be of the same user and key. */
export interface SpendRow {
	readonly quarter: number;
	readonly user_id: string | null;
	/** 0 without one. */
	readonly api_key_id: number;
	readonly tokens: number;
	readonly cost_micro: number;
	readonly cost_pico: number;
}

/** Columns of `spend` that a {@link SpendRow} has. */
export const SPEND_ROW_COLUMNS = "quarter, user_id, api_key_id, tokens, cost_micro, cost_pico";

/** Takes what the ledger says from what spans give: what is left is to be added to the ledger. */
export function takeStored(given: SpendChanges, projectId: number, rows: readonly SpendRow[]): void {
	for (const { quarter, user_id, api_key_id, tokens, cost_micro, cost_pico } of rows)
		given.add(
			{ projectId, quarter, userId: user_id, apiKeyId: api_key_id === 0 ? null : api_key_id },
			{ tokens: -tokens, costMicro: -cost_micro, costPico: -cost_pico },
		);
}

/** Whether it changes nothing, however the cost is split. Beyond the exact range all costs are the same. */
export function isNothing({ tokens, costMicro, costPico }: SpendChange): boolean {
	return tokens === 0 && (exactPico({ micro: costMicro, pico: costPico }) ?? 0n) === 0n;
}

/** @returns a sentence for each group in which the ledger differs from what spans give; users are as they are stored */
export function wrongSpend(given: readonly SpendChange[], projectId: number, rows: readonly SpendRow[]): string[] {
	const left = new SpendChanges();
	for (const change of given) left.add(change, change);
	takeStored(left, projectId, rows);
	return left
		.list()
		.filter((change) => !isNothing(change))
		.map(({ quarter, userId, apiKeyId, tokens, costMicro, costPico }) => {
			const group = JSON.stringify({ project: projectId, quarter, user: userId, key: apiKeyId });
			const pico = exactPico({ micro: costMicro, pico: costPico }) ?? "too many";
			return `what was spent in ${group} differs from what its spans give by ${tokens} tokens and ${pico} picodollars`;
		});
}
