import type { StorageNode } from "@spanward/client";
import { storageTexts } from "../../../texts/storage-en.ts";

const TEXTS = storageTexts.advice;
/** ClickHouse delays inserts from this many parts of a partition on, by default. */
const MANY_PARTS = 1_000;
const LITTLE_ROOM = 0.1;

type Told = Pick<StorageNode, "state" | "free_bytes" | "total_bytes" | "active_parts_max">;

/** What to do about the node in one line; undefined where nothing is wrong. */
export function adviceFor({ state, free_bytes: free, total_bytes: total, active_parts_max: parts }: Told) {
	if (state !== "ok") return TEXTS[state];
	if (parts !== null && parts > MANY_PARTS) return TEXTS.manyParts;
	return free !== null && total !== null && free < total * LITTLE_ROOM ? TEXTS.littleRoom : undefined;
}

/** How a node is named in the address: `1.2` for the second replica of the first shard. */
export function nodeKey({ shard, replica }: Pick<StorageNode, "shard" | "replica">): string {
	return `${shard}.${replica}`;
}
