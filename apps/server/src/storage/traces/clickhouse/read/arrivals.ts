import type { AnnotationTarget } from "#storage/schema.ts";
import type { ArrivedQuery, EntityKind } from "#storage/traces/entity.ts";
import type { Sources } from "../filter/world.ts";
import { findEntitiesById } from "./entities.ts";

/** Waiting annotations that are looked up together. */
const TOGETHER = 1_000;
const TARGETS: Readonly<Record<EntityKind, readonly AnnotationTarget[]>> = {
	span: ["span", "document"],
	trace: ["trace"],
	session: ["session"],
};

/** Waiting annotations whose target exists, whenever it arrived: writers run concurrently. */
export async function findArrived(
	{ shard, db }: Pick<Sources, "shard" | "db">,
	kind: EntityKind,
	{ afterId, limit }: Pick<ArrivedQuery, "afterId" | "limit">,
): Promise<number[]> {
	const found: number[] = [];
	for (let after = afterId; ; ) {
		const waiting = await db
			.selectFrom("waiting_annotations")
			.select(["id", "target_id"])
			.where("id", ">", after)
			.where("target", "in", TARGETS[kind])
			.orderBy("id")
			.limit(TOGETHER)
			.execute();
		const ids = [...new Set(waiting.map(({ target_id }) => target_id))];
		const there = new Set((await findEntitiesById(shard, kind, ids)).map(({ id }) => id));
		for (const { id, target_id } of waiting) {
			if (there.has(target_id)) found.push(id);
			if (found.length === limit) return found;
		}
		const last = waiting.at(-1);
		if (last === undefined || waiting.length < TOGETHER) return found;
		after = last.id;
	}
}
