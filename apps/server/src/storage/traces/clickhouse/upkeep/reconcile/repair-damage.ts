import type { Damage } from "#storage/traces/clickhouse/integrity/damage.ts";
import { recountHours } from "../recount-hours.ts";
import { recountSpend } from "../recount-spend.ts";
import { repairMove } from "./repair-move.ts";
import { repairReference } from "./repair-reference.ts";
import { repairContent, repairName, repairProject } from "./repair-rows.ts";
import { repairSignature } from "./repair-signature.ts";
import type { RepairTools } from "./repair-tools.ts";
import { repairTrace } from "./repair-trace.ts";

/**
 * Makes damage good, having looked again while nobody else changes the same.
 * @returns whether there was something to make good
 */
export async function repairDamage(tools: RepairTools, damage: Damage): Promise<boolean> {
	switch (damage.kind) {
		case "trace":
			return await repairTrace(tools, damage);
		case "move":
			return await repairMove(tools, damage.traceId);
		case "content":
			return await repairContent(tools, damage);
		case "unsigned":
		case "wrong signature":
			return await repairSignature(tools, damage.contents);
		case "hour":
			return await repairHour(tools, damage);
		case "spend":
			return await repairSpend(tools, damage);
		case "project":
			return await repairProject(tools, damage.projectId);
		case "name":
			return await repairName(tools, damage.projectId);
		case "reference":
			return await repairReference(tools, damage.table, damage.id);
		case "lost":
			return false;
	}
}

/** Everybody adds to hours, so nobody else has a turn meanwhile. What made them wrong may be missing in the ledger, too. */
async function repairHour(
	{ shard, shards, db, turns }: RepairTools,
	{ projectId, hour }: { readonly projectId: number; readonly hour: number },
): Promise<boolean> {
	const hours = new Map([[projectId, new Set([hour])]]);
	return await turns.takeAlone(async (turn) => {
		const corrected = await recountHours(shard, turn, hours);
		return (await recountSpend({ shards, db }, hours)) + corrected > 0;
	});
}

/** As {@link repairHour}: everybody adds to the ledger. */
async function repairSpend(
	{ shards, db, turns }: RepairTools,
	{ projectId, hour }: { readonly projectId: number; readonly hour: number },
): Promise<boolean> {
	return await turns.takeAlone(
		async () => (await recountSpend({ shards, db }, new Map([[projectId, new Set([hour])]]))) > 0,
	);
}
