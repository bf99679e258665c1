import type { AnnotationTarget } from "../../annotating/types.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { spanInRow } from "./trace-tree.ts";
import { visibleIndex } from "./tree-rows.ts";
import type { TraceTreeState } from "./use-trace-tree.ts";

/** State of the annotation panel. */
export interface Annotating {
	readonly kind: "span" | "trace";
	/** Each new object moves the focus. */
	readonly focus: { readonly on: "form" | "note" };
}

export interface TraceAnnotatingOptions {
	readonly traceId: string;
	/** Of the root span; undefined while the trace loads. */
	readonly name: string | null | undefined;
	readonly state: TraceTreeState;
	readonly annotating: Annotating | undefined;
	readonly onAnnotating: (annotating: Annotating | undefined) => void;
	/** Goes to the next trace of the list, where there is one. */
	readonly onNextTrace: (() => void) | undefined;
}

export interface TraceAnnotating {
	/** The target of the open panel; undefined while it is closed, or its span is missing. */
	readonly target: AnnotationTarget | undefined;
	/** Opens the panel, or goes to its note. */
	readonly annotate: (what: "span" | "trace" | "note") => void;
	/** Goes to the next span, after the last one to the next trace; false when there is none. */
	readonly annotateNext: () => boolean;
	/** Selects the target of an undone step, if it is in this trace. */
	readonly showTarget: (target: AnnotationTarget) => void;
}

/** Manages whether the selected span or the trace itself is annotated. */
export function useTraceAnnotating(options: TraceAnnotatingOptions): TraceAnnotating {
	const { traceId, name, state, annotating, onAnnotating, onNextTrace } = options;
	const { tree, visible, selected, span, select } = state;
	const ofSpan: AnnotationTarget | undefined = span && {
		kind: "span",
		id: span.spanId,
		name: span.name || texts.unnamed,
	};
	const target: AnnotationTarget | undefined =
		annotating?.kind === "trace" ? { kind: "trace", id: traceId, name: name ?? traceId } : annotating && ofSpan;
	return {
		target,
		annotate: (what) => {
			const kind = what === "note" ? (annotating?.kind ?? "span") : what;
			onAnnotating({ kind, focus: { on: what === "note" ? "note" : "form" } });
		},
		annotateNext: () => {
			if (annotating?.kind === "span") {
				const rest = visible.subarray(visibleIndex(visible, selected) + 1);
				const next = rest.find((position) => spanInRow(tree, position) !== undefined);
				if (next !== undefined) {
					select(next);
					return true;
				}
			}
			onNextTrace?.();
			return onNextTrace !== undefined;
		},
		showTarget: ({ kind, id }) => {
			if (kind === "trace" && id === traceId) onAnnotating({ kind, focus: { on: "form" } });
			const position = kind === "span" ? tree.positionOf.get(id) : undefined;
			if (position === undefined) return;
			select(position);
			if (annotating?.kind !== "span") onAnnotating({ kind: "span", focus: { on: "form" } });
		},
	};
}
