import { counted } from "./plural.ts";

/** Texts about the place of traces: its state, its nodes, and the notice above lists. */
export const storageTexts = {
	traces: "Traces",
	kind: { sqlite: "SQLite", postgres: "PostgreSQL", clickhouse: "ClickHouse" },
	state: {
		ok: "OK",
		behind: "Behind",
		incomplete: "Incomplete",
		read_only: "Read-only",
		full: "Disk full",
		unreachable: "Unreachable",
	},
	stateText: {
		ok: "Traces are stored and read.",
		behind: "Traces of the last moments may be missing from lists: a replica that is behind is read.",
		incomplete:
			"A shard is away: what needs all of them is not answered. Exports of its traces are refused, others stored.",
		read_only: "Traces are read. Nothing new is stored until tables can be written again: senders come back later.",
		full: "Traces are read, and can be deleted. Nothing new is stored until the disk has room: senders come back later.",
		unreachable: "Traces are neither read nor stored until it answers again: senders come back later.",
	},
	keptIn: "Kept in",
	delay: "Delay",
	seconds: (n: number) => counted(n, "second", "seconds"),
	pending: "Deleted, still on disk",
	interval: "Insert interval",
	intervalText:
		"The least time between two inserts of this server while it is busy; an idle one inserts at once. It grows while merges do not keep up.",
	older: "To be read anew",
	olderRows: (n: number) => counted(n, "row", "rows"),
	olderText:
		"What a former version read of attributes is read anew since the upgrade. Filters and lists are right already; charts and the order by tokens or cost follow.",

	nodes: "Nodes",
	oneWell: "One node, nothing to repair.",
	allWell: (n: number) => `${counted(n, "node", "nodes")}, nothing to repair.`,
	oneIll: "One node, which needs attention.",
	someIll: (ill: number, n: number) => `${ill} of ${n} nodes ${ill === 1 ? "needs" : "need"} attention.`,
	column: { node: "Node", state: "State", free: "Free", parts: "Parts", merges: "Merges", delay: "Delay" },
	position: (shard: number, replica: number) => `Shard ${shard}, replica ${replica}`,
	free: (free: string, total: string) => `${free} of ${total}`,
	version: "Version",
	queue: "Queue",
	lastError: "Last error",
	noError: "none within the last hour",
	noNode: "There is no such node any more.",
	partsText: "Parts of the partition that has most of them. Merges make them fewer.",
	queueText: "What is left to do to catch up with the other replicas.",
	advice: {
		unreachable: "Start the database there, or look at the network in between and at the password.",
		full: "Delete traces, shorten retention, or make the disk larger. It then goes on by itself.",
		read_only: "Its tables take no changes: look at its Keeper, if it has one, and at its disk.",
		behind: "It catches up by itself. If its queue does not get shorter, its log says why.",
		littleRoom:
			"Less than a tenth of its disk is free, and merges need room: shorten retention, or make the disk larger.",
		manyParts:
			"Merges do not keep up: let senders send larger batches, or raise SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS.",
	},

	notice: {
		behind: (seconds: number) => `Traces of the last ${seconds} s may be missing: a replica is behind.`,
		incomplete: "A part of the traces cannot be reached at the moment, so lists are not shown.",
		unreachable: "Traces cannot be reached at the moment. Senders keep their spans and send them again.",
		works: "Datasets, prompts and settings work as usual.",
		storage: "Storage",
	},
};
