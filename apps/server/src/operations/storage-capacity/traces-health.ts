import type { Context } from "#context.ts";
import type { Ingest } from "#ingest/ingest.ts";
import type { NodeState, PlaceState, StorageNode } from "#storage/trace-place.ts";

/** What is asked. */
export interface TracesAsked extends Pick<Context, "place"> {
	readonly ingest: Pick<Ingest, "storageRefusal" | "insertIntervalMs">;
}

/** How the place of traces fares, as this process saw it last. */
export interface TracesHealth extends Omit<PlaceState, "isReachable" | "isComplete"> {
	readonly kind: Context["place"]["kind"];
	/** A shard may be away. */
	readonly state: NodeState | "incomplete";
	/** Of all tables, those that are to be made anew after an upgrade; null while it is not known. */
	readonly olderRows: number | null;
}

export async function readTracesHealth({ ingest, place }: TracesAsked): Promise<TracesHealth> {
	const [{ isReachable, isComplete, ...health }, older] = await Promise.all([
		place.describe(),
		place.countOlderRows?.() ?? { spans: 0, traces: 0 },
	]);
	return {
		...health,
		kind: place.kind,
		state: isReachable && !isComplete ? "incomplete" : stateOf(isReachable, health.delaySeconds, refusalOf(ingest)),
		olderRows: older && older.spans + older.traces,
		insertIntervalMs: ingest.insertIntervalMs() ?? health.insertIntervalMs,
	};
}

/** The nodes. Where there is only one, it is the one that refuses what is sent. */
export async function listNodes({ ingest, place }: TracesAsked): Promise<readonly StorageNode[]> {
	const nodes = await place.listNodes();
	const refusal = refusalOf(ingest);
	return nodes.length > 1 || refusal === undefined
		? nodes
		: nodes.map((node) => (node.state === "ok" ? { ...node, state: refusal } : node));
}

function stateOf(isReachable: boolean, delaySeconds: number, refusal: NodeState | undefined): NodeState {
	if (!isReachable) return "unreachable";
	return refusal ?? (delaySeconds > 0 ? "behind" : "ok");
}

/** What the storage refuses exports for, where that is its state. */
function refusalOf({ storageRefusal }: TracesAsked["ingest"]): "full" | "read_only" | undefined {
	return storageRefusal === "full" || storageRefusal === "read_only" ? storageRefusal : undefined;
}
