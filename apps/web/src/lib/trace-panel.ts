import type { ComponentType } from "react";

/** The properties of the trace view, beside a list and on its own page; its state is all in the address. */
export interface TraceViewProps {
	/** Name or id of the project. */
	readonly project: string;
	/** 32 hex digits. */
	readonly traceId: string;
	/** 16 hex digits of the selected span; absent: the root. */
	readonly spanId?: string | undefined;
	/** The chosen tab of the span's details. */
	readonly tab?: string | undefined;
	/** Changes the address: the selected span, the tab. */
	readonly onChange: (change: { spanId?: string | undefined; tab?: string | undefined }) => void;
	/** Called when the span, or the trace as a whole, was annotated. */
	readonly onAnnotated?: ((target: { traceId: string; spanId: string | undefined }) => void) | undefined;
	/** It stands beside something else that the page is for, and whose keys come first. */
	readonly isPart?: boolean | undefined;
	/** Nothing is said of annotations, and none are added. */
	readonly hidesAnnotations?: boolean | undefined;
	/** Absent on the trace's own page, and where it is a part of another page. */
	readonly onClose?: (() => void) | undefined;
	/** Opens the trace above or below in the list; absent if there is none. */
	readonly onPrevious?: (() => void) | undefined;
	readonly onNext?: (() => void) | undefined;
}

export type TraceView = ComponentType<TraceViewProps>;
