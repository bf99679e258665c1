import type { NormalizedSpan, WritePace } from "#storage/traces/span-batch.ts";

/** Spans that are written at once. */
export interface Piece {
	readonly spans: readonly NormalizedSpan[];
	/** The number of far partitions that they go to. */
	readonly partitions: number;
}

/** The partitions that spans go to, but for those of these days. */
export function farPartitionsOf(spans: readonly NormalizedSpan[], pace: WritePace): ReadonlySet<number> {
	const partitions = new Set<number>();
	for (const span of spans) {
		const partition = pace.farPartitionOf(span);
		if (partition !== undefined) partitions.add(partition);
	}
	return partitions;
}

/** The spans by their partitions, as many partitions at a time as the pace allows; those of these days first. */
export function piecesOf(spans: readonly NormalizedSpan[], pace: WritePace): readonly Piece[] {
	const byPartition = Map.groupBy(spans, (span) => pace.farPartitionOf(span));
	const near = byPartition.get(undefined) ?? [];
	byPartition.delete(undefined);
	const far = [...byPartition.values()];
	const pieces: Piece[] = near.length === 0 ? [] : [{ spans: near, partitions: 0 }];
	for (let at = 0; at < far.length; at += pace.farPartitions) {
		const ofPiece = far.slice(at, at + pace.farPartitions);
		pieces.push({ spans: ofPiece.flat(), partitions: ofPiece.length });
	}
	return pieces;
}
