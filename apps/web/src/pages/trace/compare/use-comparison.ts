import { useMemo } from "react";
import { buildTraceTree } from "../trace-tree.ts";
import { type LoadedTrace, useTrace } from "../use-trace.ts";
import { useTraceGrowth } from "../use-trace-growth.ts";
import { type Alignment, alignTraces } from "./align-traces.ts";
import { type ComparedRows, compareRows } from "./compare-rows.ts";
import { type LoadedDigests, MOST_DIGESTS, useDigests } from "./use-digests.ts";

/** One of the two traces. */
export interface SideOfComparison {
	readonly project: string;
	readonly traceId: string;
}

export interface LoadedSide extends SideOfComparison {
	readonly loaded: LoadedTrace;
}

export type TextsState = "reading" | "compared" | "too-large" | "failed";

export interface Comparison {
	readonly left: LoadedSide;
	readonly right: LoadedSide;
	/** Undefined until both traces are complete. */
	readonly aligned: { readonly alignment: Alignment; readonly compared: ComparedRows } | undefined;
	readonly texts: TextsState;
	/** The share of spans whose texts were read, from 0 to 1. */
	readonly textsRead: number;
}

/** Loads two traces, aligns them and compares their rows; again as they grow. */
export function useComparison(leftSide: SideOfComparison, rightSide: SideOfComparison): Comparison {
	const left = useLoadedSide(leftSide);
	const right = useLoadedSide(rightSide);
	const leftDigests = useDigests(leftSide.project, completeHead(left.loaded));
	const rightDigests = useDigests(rightSide.project, completeHead(right.loaded));
	const isComplete = left.loaded.complete && right.loaded.complete;
	const { spans: leftSpans } = left.loaded;
	const { spans: rightSpans } = right.loaded;
	const alignment = useMemo(
		() => (isComplete ? alignTraces(buildTraceTree(leftSpans), buildTraceTree(rightSpans)) : undefined),
		[isComplete, leftSpans, rightSpans],
	);
	const aligned = useMemo(
		() => alignment && { alignment, compared: compareRows(alignment, leftDigests.digests, rightDigests.digests) },
		[alignment, leftDigests.digests, rightDigests.digests],
	);
	const count = (left.loaded.trace?.span_count ?? 0) + (right.loaded.trace?.span_count ?? 0);
	return {
		left,
		right,
		aligned,
		texts: textsState([left.loaded, right.loaded], [leftDigests, rightDigests]),
		textsRead: count === 0 ? 0 : Math.min(1, (leftDigests.loaded + rightDigests.loaded) / count),
	};
}

function useLoadedSide({ project, traceId }: SideOfComparison): LoadedSide {
	const loaded = useTrace(project, traceId);
	useTraceGrowth(project, loaded.trace, loaded.refetch);
	return { project, traceId, loaded };
}

function completeHead({ trace, complete }: LoadedTrace) {
	return complete ? trace : undefined;
}

function textsState(traces: readonly LoadedTrace[], digests: readonly LoadedDigests[]): TextsState {
	if (traces.some(({ trace }) => trace !== undefined && trace.span_count > MOST_DIGESTS)) return "too-large";
	if (digests.some(({ error }) => error !== null)) return "failed";
	return digests.every(({ isComplete }) => isComplete) ? "compared" : "reading";
}
